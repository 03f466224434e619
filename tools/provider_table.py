"""The table of providers in README.md, made from the code: what a wire format builds without a notice is supported.

Usage: python -m tools.provider_table [--check]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from triptych import formats, providers
from triptych.content import Message, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.formats import Call, Format
from triptych.output_modes import output_mode
from triptych.parts import Audio, Document, Image, Part, Video
from triptych.provider import Provider
from triptych.request import LlmRequest
from triptych.settings import SETTING_NAMES, Settings
from triptych.tools import BaseTool

README = Path(__file__).resolve().parent.parent / "README.md"
BEGIN, END = "<!-- providers: made by `make gen` -->", "<!-- end of providers -->"
COLUMNS = (
    "provider",
    "wire format",
    "key",
    "images",
    "documents",
    "sound",
    "film",
    "tools",
    "output",
    "thinking",
    "not taken",
)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
TOOL = BaseTool("f", "What it does.", {"type": "object", "properties": {"a": {"type": "string"}}})
# A model of the format's own where settings depend on the model.
MODELS = {"bedrock_converse": "anthropic.claude-sonnet-4-5-20250929-v1:0"}
# What is tried for each column: how a cell calls it, and the parts that a user's message has then.
MEDIA: dict[str, dict[str, Part]] = {
    "images": {"bytes": Image(PNG), "URL": Image("https://h.example/a.png")},
    "documents": {
        "bytes": Document(b"%PDF-1.7\n", name="a.pdf"),
        "URL": Document("https://h.example/a.pdf", name="a.pdf"),
        "text": Document(text="Words.", name="a.txt"),
    },
    "sound": {"bytes": Audio(b"RIFF\x00\x00\x00\x00WAVE")},
    "film": {"bytes": Video(b"\x00\x00\x00\x18ftypmp42"), "URL": Video("https://h.example/a.mp4")},
}
VALUES: dict[str, object] = {
    "temperature": 0.5, "top_p": 0.5, "top_k": 5, "max_tokens": 9, "stop": ["x"], "seed": 1, "frequency_penalty": 0.5,
    "presence_penalty": 0.5, "logprobs": True, "top_logprobs": 2, "parallel_tool_calls": False, "user": "u",
    "metadata": {"a": "b"}, "service_tier": "default",
}  # fmt: skip


def main() -> int:
    """Write the table into README.md, or with --check return 1 where it is another."""
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    made = f"{before}{BEGIN}\n{table()}{END}{rest.split(END)[1]}"
    if "--check" in sys.argv[1:]:
        if made != text:
            print("the table of providers in README.md is not what the code gives: run `make gen`")
        return int(made != text)
    README.write_text(made, encoding="utf-8")
    return 0


def table() -> str:
    """Return the table, in Markdown."""
    rows = [row(providers.resolve("m", provider=name)[0]) for name in providers.known()]
    lines = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def row(host: Provider) -> list[str]:
    """Return the cells of one provider."""
    wire = formats.load(host.format, host.name, host.quirks)
    media = [listed(name for name, part in kinds.items() if holds(wire, part)) for kinds in MEDIA.values()]
    refused = [name for name in SETTING_NAMES if name in VALUES and not takes(wire, **{name: VALUES[name]})]
    return [
        host.name,
        host.format,
        key(host),
        *media,
        listed(tools(wire)),
        output(host),
        listed(name for name, value in {"effort": "low", "tokens": 2048}.items() if takes(wire, reasoning=value)),
        listed(refused),
    ]


def key(host: Provider) -> str:
    """Return where a call's key comes from."""
    cloud = {"aws": "AWS credentials", "google": "Google credentials"}.get(host.cloud or "")
    variable = f"`{host.key_variables[0]}`" if host.key_variables else ""
    return " or ".join(filter(None, (variable, cloud))) + (" (optional)" if variable and host.key_optional else "")


def output(host: Provider) -> str:
    """Return how a model is brought to an output of a type, and what it is not held to."""
    way = output_mode(host.name, MODELS.get(host.format, "m"))
    return f"{way.mode} (but not: {way.not_enforced})" if way.not_enforced else way.mode


def tools(wire: Format) -> Iterable[str]:
    """Return what of tools a format says: a forced call, one at a time, and images in a result."""
    answered = [
        Message("user", "q"),
        ToolCall("c1", "f", {"a": "x"}),
        ToolResult("c1", "f", "error", ["broken"]),
    ]
    if whole(wire, LlmRequest(contents=answered, tools=[TOOL])):
        yield "calls"
    if whole(wire, LlmRequest(contents="q", tools=[TOOL], tool_choice="required")):
        yield "required"
    if whole(wire, LlmRequest(contents="q", tools=[TOOL], tool_choice="f")):
        yield "named"
    pictured = [*answered[:2], ToolResult("c1", "f", "success", [Image(PNG)])]
    if whole(wire, LlmRequest(contents=pictured, tools=[TOOL])):
        yield "images in results"


def holds(wire: Format, part: Part) -> bool:
    """Return whether a user's message may have the part."""
    return whole(wire, LlmRequest(contents=[Message("user", ["Look.", part])]))


def takes(wire: Format, **values: object) -> bool:
    """Return whether a format says a setting; one of tools is tried with a tool."""
    tools = [TOOL] if "parallel_tool_calls" in values else []
    return whole(wire, LlmRequest(contents="q", tools=tools), Settings.named(values))


def whole(wire: Format, request: LlmRequest, settings: Settings | None = None) -> bool:
    """Return whether a format says all of a request."""
    try:
        return not wire.build_request(Call(request, MODELS.get(wire.name, "m"), settings or Settings())).notices
    except LlmError:
        return False


def listed(names: Iterable[str]) -> str:
    """Return names as a cell."""
    return ", ".join(names)


if __name__ == "__main__":
    sys.exit(main())
