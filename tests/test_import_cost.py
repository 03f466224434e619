"""Tests of what an import loads: the library pays for a thing when it is first used, and never for the network."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.chat_hosts import ChatHost, all_formats
from tests.servers.echo import echo
from tests.servers.script import serve
from triptych import formats

HEAVY = ("attr", "cattrs", "jsonschema", "msgspec", "requests", "tenacity", "urllib3", "vcr", "yaml")
# Nothing may resolve a name, open a connection or start a program while modules are imported. urllib3 binds a socket,
# to learn whether there is IPv6: that reaches nobody.
WATCH = """
import sys
def refuse(event, arguments):
    if event in ("socket.getaddrinfo", "socket.connect", "subprocess.Popen", "os.system"):
        print(f"{event} at import", file=sys.stderr, flush=True)
        import os
        os._exit(3)
sys.addaudithook(refuse)
"""
REPORT = "\nimport json; print(json.dumps(sorted(sys.modules)))"


def modules_after(code: str) -> set[str]:
    """Run code in a new interpreter that may not use the network; return the names of the modules that it loaded."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", WATCH + code + REPORT],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    return set(json.loads(ran.stdout))


def loaded(modules: set[str], *packages: str) -> list[str]:
    """Return which of these packages, or modules in them, were loaded."""
    return sorted(name for name in packages if any(m == name or m.startswith(name + ".") for m in modules))


def test_import_triptych_loads_nothing_but_itself() -> None:
    """B214."""
    modules = modules_after("import triptych")
    assert loaded(modules, *HEAVY, "socket", "ssl", "http", "triptych_wire") == []
    assert {name for name in modules if name.startswith("triptych")} == {"triptych"}


def test_import_triptych_leaves_at_most_150_modules_in_all() -> None:
    """B214."""
    assert len(modules_after("import triptych")) <= 150


def test_a_request_is_made_without_a_client_or_a_format() -> None:
    modules = modules_after("from triptych import LlmRequest, Message; LlmRequest(contents=[Message('user', 'hi')])")
    assert loaded(modules, *HEAVY, "socket", "ssl", "http", "triptych_wire") == ["attr", "msgspec"]
    assert loaded(modules, "triptych.client", "triptych.formats", "triptych.transport", "triptych.replay") == []


@pytest.mark.parametrize(
    "name", ["Message", "ToolCall", "Text", "Image", "Settings", "LlmError", "LlmResponse", "Usage", "BaseTool"]
)
def test_a_domain_class_loads_no_http_library(name: str) -> None:
    modules = modules_after(f"from triptych import {name}")
    assert loaded(modules, "requests", "urllib3", "cattrs", "jsonschema", "tenacity", "vcr", "triptych_wire") == []


def test_importing_the_client_loads_no_format() -> None:
    """B214."""
    modules = modules_after("from triptych import LlmClient")
    assert loaded(modules, "cattrs", "jsonschema", "tenacity", "vcr", "yaml", "triptych_wire", "triptych.replay") == []
    assert loaded(modules, *(f"triptych.formats.{name}" for name in formats.names()), "botocore", "google.auth") == []


# The formats of hosts that differ from another's in some rooms of the folder only, and use the rest of it.
BUILT_ON = {"mistral_chat": "openai_chat", "cohere_chat": "openai_chat"}


@all_formats
def test_a_call_loads_its_own_format_and_nothing_that_it_does_not_need(host: ChatHost) -> None:
    with serve(echo()) as server:
        code = f"""
import json, sys
from triptych import LlmClient, LlmRequest
client = LlmClient({host.model!r}, base_url={host.base_url(server)!r}, api_key="k")
response = client.generate(LlmRequest(contents="hello"))
print(json.dumps([response.text, sorted(sys.modules)]))
"""
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    text, modules = json.loads(ran.stdout)
    assert text == "You asked: hello"
    unneeded = ("cattrs", "jsonschema", "tenacity", "vcr", "yaml", "triptych_wire", "triptych.replay", "asyncio")
    clouds = ("botocore", "boto3", "google.auth", "triptych.access.aws", "triptych.access.google")
    assert loaded(set(modules), *unneeded, *clouds) == []
    used = {f"triptych.formats.{name}" for name in (host.name, BUILT_ON.get(host.name, host.name))}
    assert set(loaded(set(modules), *(f"triptych.formats.{name}" for name in formats.names()))) == used


def test_replay_gives_its_errors_without_the_cassette_reader() -> None:
    modules = modules_after("from triptych.replay import CassetteError, ReplayMiss")
    assert loaded(modules, "vcr", "yaml", "requests") == []
