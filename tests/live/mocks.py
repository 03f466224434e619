"""Servers with scripted answers, written by others: llmock and aimock, each in an environment of its own.

What they say is in `scripts/`. llmock is told before each scene what comes next; aimock finds its answer by the
question.
"""

import json
import secrets
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen

from tests.live.child import LIFETIME_SECONDS, check_port_is_free, free_port, running
from tests.live.environments import node_package, python_environment

LLMOCK_VERSION = "0.2.2"
AIMOCK_VERSION = "1.43.0"
LLMOCK = f"llmock=={LLMOCK_VERSION}"
AIMOCK = f"@copilotkit/aimock@{AIMOCK_VERSION}"
_SCRIPTS = Path(__file__).with_name("scripts")


@frozen
class Mock:
    """A running server with scripted answers.

    Attributes:
        url: Its address, without a path.
        label: The line that a cassette names the server by.
        model: The line that a cassette names the model by.
        api_key: The key that it asks for, or that is sent to it.
        rehearse: Called with a scene's name before the scene is played.
    """

    url: str
    label: str
    model: str
    api_key: str = field(repr=False)
    rehearse: Callable[[str], None] = field(eq=False, repr=False)


@contextmanager
def llmock(port: int = 0, options: Sequence[str] = ()) -> Iterator[Mock]:
    """Run llmock for the length of a with block.

    Args:
        port: The loopback port to listen on; 0 takes a free one.
        options: Further options of its command `serve`.

    Raises:
        NotReady: it could not be installed or started.
    """
    port = _port(port)
    program = python_environment(LLMOCK).with_name("llmock")
    script = _SCRIPTS / "llmock.json"
    behaviors = json.loads(script.read_text(encoding="utf-8"))
    url = f"http://localhost:{port}"

    def rehearse(scene: str) -> None:
        _post(f"{url}/_llmock/reset", {})
        _post(f"{url}/_llmock/scenario", {"behaviors": behaviors[scene]})

    command = [str(program), "serve", "--host", "127.0.0.1", "--port", str(port), "--log-level", "warning", *options]
    with running(command, f"{url}/health", lifetime=LIFETIME_SECONDS):
        yield Mock(url, f"llmock {LLMOCK_VERSION}", _model(script), secrets.token_urlsafe(24), rehearse)


@contextmanager
def aimock(port: int = 0) -> Iterator[Mock]:
    """Run aimock for the length of a with block.

    Args:
        port: The loopback port to listen on; 0 takes a free one.

    Raises:
        ProgramMissing: there is no Node.js.
        NotReady: it could not be installed or started.
    """
    port = _port(port)
    program = node_package(AIMOCK) / "dist" / "cli.js"
    script = _SCRIPTS / "aimock.json"
    key = secrets.token_urlsafe(24)
    url = f"http://localhost:{port}"
    command = ["node", str(program), "--host", "127.0.0.1", "--port", str(port), "--fixtures", str(script), "--strict"]
    with running(command, f"{url}/health", {"AIMOCK_API_KEYS": key}, lifetime=LIFETIME_SECONDS):
        yield Mock(url, f"aimock {AIMOCK_VERSION}", _model(script), key, lambda scene: None)


def _port(port: int) -> int:
    if port == 0:
        return free_port()
    check_port_is_free(port)
    return port


def _model(script: Path) -> str:
    return f"scripted answers ({script.relative_to(Path(__file__).parents[2]).as_posix()})"


def _post(url: str, body: object) -> None:
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=10):
        pass
