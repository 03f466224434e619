"""What is pure filler."""

from __future__ import annotations

import pytest

from triptych.threads import is_filler_text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "Ok.",
        "ok",
        "Okay!",
        "Sure, one moment.",
        "Let me check that.",
        "Let me take a look…",
        "I\u2019ll look into it now.",
        "I'll check that for you.",
        "Got it. Let me find out!",
        "Great, thanks!",
        "Just a moment please",
        "Working on it...",
        "Alright - let's see",
    ],
)
def test_acknowledgements_and_announcements_are_filler(text: str) -> None:
    assert is_filler_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "No",
        "4",
        "Done.",
        "Ok?",
        "Shall I check that?",
        "Let me check the invoice of March.",
        "Ok. The file is gone.",
        "I'll delete it now.",
        "Not ok.",
        "Great work on the parser",
        "Okay: 17",
        "好",
        "👍",
        "Ok. " * 40,
    ],
)
def test_what_says_something_is_none(text: str) -> None:
    assert not is_filler_text(text)
