"""What a body of ours has on purpose that the official package refuses, each with the reason.

Nothing here holds for a body that is translated for the provider whose package it is: there every fault counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# By wire format: a pattern of the whole fault, and why it is no fault of ours.
BEYOND: Mapping[str, Mapping[str, str]] = {
    "openai_chat": {
        r"messages\.\d+\.(reasoning|reasoning_content|reasoning_details): Extra .*": "how hosts take thoughts back",
        r"messages\.\d+\.tool_calls\.\d+\.index: Extra .*": "a host's own field of a call, sent back as it came",
        r"messages\.\d+\.content\.\d+\.cache_control: Extra .*": "hosts of Anthropic's models take such marks",
        r"messages\.\d+\.content\.\d+: Input tag 'video_url' .*": "hosts of models that see videos take them so",
        r"messages\.\d+\.annotations: Extra .*": "OpenAI's answers have it, and its API takes it back",
        r"(reasoning|thinking|enable_thinking|thinking_budget): Extra .*": "how other hosts are told how much to think",
        r"model: Field required": "the URL of a deployment names the model",
    },
    "openai_responses": {
        r"input\.\d+\.id: Field required": "a sealed thought of xAI's has no id, and goes back without",
    },
    "ollama_chat": {
        r"messages\.\d+\.tool_calls\.\d+\.type: Extra .*": "a client's own field of a call, sent back as it came",
    },
}


def unexplained(name: str, faults: Iterable[str]) -> list[str]:
    """Return those of the package's faults that have no reason here.

    Args:
        name: The wire format of the body.
        faults: What the package has against it.
    """
    patterns = BEYOND.get(name, {})
    return [fault for fault in faults if not any(re.fullmatch(pattern, fault) for pattern in patterns)]
