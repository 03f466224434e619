"""Servers as child processes: they do not outlive the block that runs them, their parent or their time."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.child import check_port_is_free, free_port, running
from tests.live.environments import NotReady

BOUNDED = [sys.executable, str(Path(__file__).with_name("bounded_process.py"))]
FOR_EVER = [sys.executable, "-c", "import sys, threading; print('up', flush=True); threading.Event().wait()"]
MANY_SECONDS = 60.0


def bounded(seconds: float, command: list[str]) -> subprocess.Popen[str]:
    """Start a command that is ended after some seconds, or when its standard input closes."""
    pipes = subprocess.PIPE
    return subprocess.Popen([*BOUNDED, str(seconds), *command], stdin=pipes, stdout=pipes, text=True)


def serving(port: int) -> list[str]:
    """Return the command of a small HTTP server."""
    return [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", str(port)]


def test_a_server_listens_in_its_block_and_not_after_it() -> None:
    port = free_port()
    with (
        running(serving(port), f"http://localhost:{port}/", lifetime=MANY_SECONDS),
        pytest.raises(NotReady, match=f"port {port} is taken"),
    ):
        check_port_is_free(port)
    check_port_is_free(port)


def test_a_server_that_ends_is_told_with_its_last_words_and_was_given_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "planted")
    words = "import os; print('OPENAI_API_KEY' in os.environ, os.environ['MINE']); raise SystemExit(3)"

    with (
        pytest.raises(NotReady) as caught,
        running([sys.executable, "-c", words], "http://localhost:1/", {"MINE": "given"}, lifetime=MANY_SECONDS),
    ):
        pass

    assert str(caught.value) == (
        "the server ended with exit status 3 before it was ready; its last lines were:\nFalse given\n"
    )


def test_a_process_ends_when_its_time_is_up() -> None:
    with bounded(0.01, FOR_EVER) as process:
        assert process.wait(MANY_SECONDS) == 0


def test_a_process_ends_when_its_parent_is_gone() -> None:
    with bounded(MANY_SECONDS, FOR_EVER) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.stdin.close()
        assert process.wait(MANY_SECONDS) == 0


@pytest.mark.parametrize("status", [0, 3])
def test_the_exit_status_of_a_process_is_handed_on(status: int) -> None:
    with bounded(MANY_SECONDS, [sys.executable, "-c", f"raise SystemExit({status})"]) as process:
        assert process.wait(MANY_SECONDS) == status
