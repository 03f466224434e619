"""The answer of each format: it thinks, speaks, calls two tools and counts its tokens."""

import pytest

from tests.faults.chat_script import CHAT
from tests.faults.messages_script import MESSAGES
from tests.faults.script import EVENT_STREAM, Script, event

__all__ = ["CHAT", "EVENT_STREAM", "MESSAGES", "Script", "both_scripts", "event"]

both_scripts = pytest.mark.parametrize("script", [CHAT, MESSAGES], ids=lambda script: script.host.name)
