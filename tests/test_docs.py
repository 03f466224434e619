"""Every Python example in README runs, offline, as its reader would run it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)


def printed(example: str) -> str:
    """Run an example in an interpreter of its own, without keys; return what it prints.

    What the recorded model is asked is answered by the cassettes.
    """
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environment["PYTHONWARNINGS"] = "error"
    if "llamacpp/" in example:
        environment["TRIPTYCH_CASSETTES"] = str(ROOT / "cassettes")
    ran = subprocess.run(
        [sys.executable, "-c", example],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.strip().splitlines()[0][:40])
def test_an_example_runs_and_prints_what_its_comments_say(example: str) -> None:
    output = printed(example)
    for said in re.findall(r"^\s*print\(.*?\) +# (.*)$", example, re.M):
        assert said.removesuffix("…") in output


def test_the_first_example_answers_the_question() -> None:
    assert "4" in printed(EXAMPLES[0])


def test_the_streamed_example_prints_the_answer_and_what_it_cost() -> None:
    (example,) = (example for example in EXAMPLES if "client.stream(" in example)

    answer, _, summary = printed(example).rstrip().rpartition("stop ")

    assert "4" in answer
    assert summary == "{'input_tokens': 28, 'output_tokens': 187}"
