"""Whole answers of the Responses API of every kind, and the streams that hosts send of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.formats.knife import Knife
from tests.formats.openai_responses.wire import COUNTS, event, state
from tests.formats.strategies import names
from tests.formats.streams import DONE, Wire

Answer = dict[str, Any]

_texts = st.one_of(st.text(max_size=8), st.sampled_from(["a\u2028b", "\x85", "😀", " \n"]))
_words = _texts.filter(bool)
_arguments = st.sampled_from(["", "{}", '{"a": 1}', '{"a":"\\u00e9"}', "null", "[1]", "{cut", '"{\\"a\\":1}"'])
_notes = st.lists(st.builds(lambda name: {"type": "file_path", "file_id": name, "index": 0}, names), max_size=2)
_statuses = st.sampled_from(["completed", "incomplete"])


def _parts(kind: str, field: str, texts: SearchStrategy[str]) -> SearchStrategy[Answer]:
    return st.fixed_dictionaries({"type": st.just(kind), field: texts})


_said = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("output_text"), "text": _texts, "annotations": _notes, "logprobs": st.just([])}
    ),
    _parts("refusal", "refusal", _texts),
)
_items: SearchStrategy[Answer] = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("message"),
            "id": names,
            "role": st.just("assistant"),
            "status": _statuses,
            "content": st.lists(_said, max_size=3),
        },
        optional={"phase": st.sampled_from(["commentary", "final_answer"])},
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("reasoning"),
            "id": names,
            "summary": st.lists(_parts("summary_text", "text", _words), max_size=2),
        },
        optional={
            "content": st.lists(_parts("reasoning_text", "text", _words), max_size=2),
            "encrypted_content": st.sampled_from([None, "seal"]),
        },
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("function_call"),
            "id": names,
            "call_id": st.sampled_from(["call_1", "call_2", "", None]),
            "name": names,
            "arguments": _arguments,
            "status": _statuses,
        }
    ),
    st.fixed_dictionaries(
        {"type": st.just("custom_tool_call"), "id": names, "call_id": names, "name": names, "input": _texts}
    ),
    st.fixed_dictionaries({"type": st.just("web_search_call"), "id": names, "status": st.just("completed")}),
)
# By type of item: its lists that come in parts, and for the type of a part its field of words and its events.
_LISTS = {"message": ("content",), "reasoning": ("summary", "content")}
_PIECES = {
    "output_text": ("text", "output_text", "content_index"),
    "refusal": ("refusal", "refusal", "content_index"),
    "reasoning_text": ("text", "reasoning_text", "content_index"),
    "summary_text": ("text", "reasoning_summary_text", "summary_index"),
}
_INPUTS = {
    "function_call": ("arguments", "function_call_arguments"),
    "custom_tool_call": ("input", "custom_tool_call_input"),
}


def answers() -> SearchStrategy[Answer]:
    """Return whole answers."""
    ended = st.sampled_from([("completed", None), ("incomplete", {"reason": "max_output_tokens"})])

    def made(output: list[Answer], end: tuple[str, Any]) -> Answer:
        status, details = end
        whole = {"id": "resp_1", "model": "m", "status": status, "output": output, "usage": COUNTS}
        return {**whole, "error": None, "incomplete_details": details}

    return st.builds(made, st.lists(_items, max_size=4), ended)


@st.composite
def streams(draw: st.DrawFn, answer: Mapping[str, Any]) -> list[Wire]:
    """Return a stream that says what `answer` says, its texts cut somewhere, its last event with the items or without.

    Args:
        draw: What hypothesis gives.
        answer: The answer.
    """
    knife = Knife(draw)
    begun = {**answer, "output": [], "status": "in_progress", "usage": None, "incomplete_details": None}
    wire: list[Wire] = [state("created", begun), state("in_progress", begun)]
    for index, item in enumerate(answer["output"]):
        wire += _item(knife, index, item)
    last = dict(answer) if knife.one_of(True, False) else {**answer, "output": []}  # B125
    wire.append(state(answer["status"], last))
    return [*wire, *([DONE] if knife.one_of(True, False) else [])]


def _item(knife: Knife, index: int, item: Answer) -> list[Wire]:
    lists = [name for name in _LISTS.get(item["type"], ()) if name in item]
    field, name = _INPUTS.get(item["type"], ("", ""))
    empty: Answer = {**{key: [] for key in lists}, **({field: ""} if field else {})}
    begun = {**item, **empty, **({"status": "in_progress"} if "status" in item else {})}
    wire = [event("output_item.added", index, item=begun)]
    for within in lists:
        for place, part in enumerate(item[within]):
            wire += _part(knife, index, place, part)
    if field:
        wire += [event(f"{name}.delta", index, delta=piece) for piece in knife.pieces(item[field])]
        wire.append(event(f"{name}.done", index, **{field: item[field]}))
    if item["type"] == "web_search_call":
        wire.append(event("web_search_call.searching", index))
    return [*wire, event("output_item.done", index, item=item)]


def _part(knife: Knife, index: int, place: int, part: Answer) -> list[Wire]:
    field, name, says = _PIECES[part["type"]]
    kind = "reasoning_summary_part" if says == "summary_index" else "content_part"
    at = {says: place}
    empty = {**part, field: "", **({"annotations": []} if "annotations" in part else {})}
    wire = [event(f"{kind}.added", index, **at, part=empty)] if knife.one_of(True, False) else []
    wire += [event(f"{name}.delta", index, **at, delta=piece) for piece in knife.pieces(part[field])]
    for number, note in enumerate(part.get("annotations", [])):
        more = {**at, "annotation_index": number, "annotation": note}
        wire.append(event("output_text.annotation.added", index, **more))
    wire.append(event(f"{name}.done", index, **at, **{field: part[field]}))
    return [*wire, *([event(f"{kind}.done", index, **at, part=part)] if knife.one_of(True, False) else [])]
