"""The answer as generateContent streams it: as events, and as the elements of an array."""

from typing import Any

from tests.chat_hosts import GEMINI as HOST
from tests.faults.script import Script, Stage, Step, Told
from tests.faults.wires import ARRAY, SSE, Wire, as_json
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ReasoningDelta, StreamEvent, TextDelta, ToolCallDelta
from triptych.parts import Issuer

_ISSUER = Issuer("gemini_generate", "gemini")
_TOP = {"modelVersion": "gemini-3-flash-preview", "responseId": "s1"}
_OPENING = {"promptTokenCount": 21, "totalTokenCount": 21}
_COUNTS = {"promptTokenCount": 21, "candidatesTokenCount": 12, "thoughtsTokenCount": 5, "totalTokenCount": 38}


def _chunk(*parts: Any, finish: str | None = None) -> dict[str, Any]:
    content: dict[str, Any] = {"role": "model", **({"parts": list(parts)} if parts else {})}
    candidate = {"content": content, "index": 0, **({"finishReason": finish} if finish else {})}
    return {"candidates": [candidate], "usageMetadata": _OPENING, **_TOP}


def _call(**function: Any) -> dict[str, Any]:
    return {"functionCall": function}


def _called(number: int, arguments: dict[str, Any]) -> ToolCall:
    data = {"functionCall": {"id": f"call_{number}"}}
    return ToolCall(f"call_{number}", "get_weather", arguments, provider_data=data, issuer=_ISSUER)


_CITY = {"jsonPath": "$.city", "stringValue": "Paris"}
_THINKS, _SPEAKS = Reasoning("Let me see.", issuer=_ISSUER), Message("assistant", "Grüße aus 東京 🗼")
_PARIS, _OSLO = _called(1, {"city": "Paris"}), _called(2, {"city": "Oslo"})
_WHOLE = (_THINKS, _SPEAKS, _PARIS, _OSLO)
_CHUNKS: tuple[tuple[dict[str, Any], tuple[StreamEvent, ...]], ...] = (
    (_chunk(), ()),
    (_chunk({"text": "Let me", "thought": True}), (ReasoningDelta("Let me"),)),
    (_chunk({"text": " see.", "thought": True}), (ReasoningDelta(" see."),)),
    (_chunk({"text": "Grüße "}), (TextDelta("Grüße "),)),
    (_chunk({"text": "aus 東京 🗼"}), (TextDelta("aus 東京 🗼"),)),
    (_chunk(_call(name="get_weather", id="call_1", willContinue=True)), (ToolCallDelta("call_1", "get_weather", ""),)),
    (_chunk(_call(partialArgs=[_CITY], willContinue=True)), ()),
    (_chunk(_call()), (ToolCallDelta("call_1", "get_weather", '{"city":"Paris"}'),)),
    (
        _chunk(_call(name="get_weather", id="call_2", args={"city": "Oslo"})),
        (ToolCallDelta("call_2", "get_weather", '{"city":"Oslo"}', 1),),
    ),
    (_chunk(finish="STOP"), ()),
    ({"usageMetadata": _COUNTS, **_TOP}, ()),
)
_STAGES = {
    "opened": Stage(1),
    "thinking": Stage(2, partial=(Reasoning("Let me", issuer=_ISSUER),)),
    "speaking": Stage(4, (_THINKS,), (Message("assistant", "Grüße "),)),
    "calling": Stage(6, (_THINKS, _SPEAKS), (_called(1, {}),)),
    "calling again": Stage(8, (_THINKS, _SPEAKS, _PARIS)),
    "after the last delta": Stage(9, _WHOLE),
    "finished": Stage(10, _WHOLE),
    "counted": Stage(11, _WHOLE),
}


def _script(wire: Wire, steps: tuple[Step, ...]) -> Script:
    def fault(type_: str, message: str) -> bytes:
        return wire.frame({"error": {"code": _CODES[type_], "message": message, "status": type_}})

    return Script(
        host=HOST,
        steps=steps,
        stages=_STAGES,
        content=_WHOLE,
        raw_finish_reason="STOP",
        usage=Usage(21, 17, reasoning_tokens=5),
        opening_usage=Usage(21, 0),
        model="gemini-3-flash-preview",
        id="s1",
        fault=fault,
        passing=Told("UNAVAILABLE", "overloaded", 503),
        refusing=Told("INVALID_ARGUMENT", "invalid_request", 400),
        whole_at={"finished": Usage(21, 0), "counted": Usage(21, 17, reasoning_tokens=5)},
        wire=wire,
    )


_CODES = {"UNAVAILABLE": 503, "INVALID_ARGUMENT": 400}
_LAST, _NOTHING = _CHUNKS[-1]
GEMINI = _script(SSE, tuple(Step(SSE.frame(chunk), yields) for chunk, yields in _CHUNKS))
GEMINI_ARRAY = _script(
    ARRAY,
    (
        *(
            Step(ARRAY.opening * (not place) + ARRAY.frame(chunk), yields)
            for place, (chunk, yields) in enumerate(_CHUNKS[:-1])
        ),
        Step(as_json(_LAST)),
        Step(b"\r\n]\r\n"),
    ),
)
