"""The demo, run as a user runs it: in a process of its own, with no key in the environment."""

import os
import subprocess
import sys

from tests.live.environments import ROOT
from tests.live.scene import OPENAI_CHAT, play
from tests.live.scenes import SCENES
from tests.live.targets import cassette_path, cassette_target

(CHAT,) = (scene for scene in SCENES if scene.name == "chat")


def run_demo() -> str:
    """Return what the demo prints, which ends well and says nothing on standard error."""
    keyless = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}

    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / "demo.py")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=keyless | {"PYTHONIOENCODING": "utf-8"},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_demo_prints_the_conversation_and_runs_offline() -> None:
    system, user, answer, *rest = run_demo().splitlines()

    assert system == "system:    You are a helpful assistant."
    assert user == "user:      What is 2 + 2?"
    assert answer.startswith("assistant: ")
    assert "4" in answer
    usages = [line for line in rest if line.startswith("usage:")]
    assert len(usages) == 2
    assert all("'input_tokens': 28" in usage for usage in usages)
    offline = [line for line in rest if line.startswith("offline:")]
    assert [line.split()[3].rstrip(";") for line in offline] == [
        "cassettes/openai_chat/chat.yaml",
        "cassettes/openai_chat/stream/chat.yaml",
    ]


def test_demo_streams_the_recorded_answer_piece_by_piece() -> None:
    tape = cassette_path(OPENAI_CHAT, CHAT, streamed=True)
    (response,) = play(CHAT, cassette_target(OPENAI_CHAT, tape).player(tape, streamed=True))

    streamed = run_demo().partition("streamed:  ")[2].partition("\nusage:")[0]

    assert streamed.replace("|", "") == response.text
    assert streamed.count("|") > 3
