"""The demo, run as a user runs it: in a process of its own, with no key in the environment."""

import os
import subprocess
import sys

from tests.live.engine import ROOT


def test_demo_prints_the_conversation_and_runs_offline() -> None:
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
    system, user, answer, *rest = done.stdout.splitlines()
    assert system == "system:    You are a helpful assistant."
    assert user == "user:      What is 2 + 2?"
    assert answer.startswith("assistant: ")
    assert "4" in answer
    (usage,) = (line for line in rest if line.startswith("usage:"))
    assert "'input_tokens': 28" in usage
    (offline,) = (line for line in rest if line.startswith("offline:"))
    assert "cassettes/openai_chat/chat.yaml" in offline
