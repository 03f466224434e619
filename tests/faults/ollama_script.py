"""The answer as Ollama streams it: line by line, a call whole in one line."""

from typing import Any

from tests.chat_hosts import OLLAMA as HOST
from tests.faults.script import Script, Stage, Step, Told
from tests.faults.wires import LINES
from triptych import Message, Reasoning, ToolCall, Usage
from triptych.events import ReasoningDelta, TextDelta, ToolCallDelta
from triptych.parts import Issuer

_ISSUER = Issuer("ollama_chat", "ollama")


def _line(done: dict[str, Any] | None = None, **message: Any) -> bytes:
    head = {"model": "qwen3:4b", "created_at": "2025-11-30T00:00:00Z"}
    said = {"role": "assistant", "content": "", **message}
    return LINES.frame({**head, "message": said, **({"done": False} if done is None else done)})


def _call(number: int, city: str) -> dict[str, Any]:
    function = {"index": number - 1, "name": "get_weather", "arguments": {"city": city}}
    return {"tool_calls": [{"id": f"call_{number}", "function": function}]}


def _fault(type_: str, message: str) -> bytes:
    return LINES.frame({"error": message})


_THINKS, _SPEAKS = Reasoning("Let me see.", issuer=_ISSUER), Message("assistant", "Grüße aus 東京 🗼")
_PARIS = ToolCall("call_1", "get_weather", {"city": "Paris"})
_OSLO = ToolCall("call_2", "get_weather", {"city": "Oslo"})
_WHOLE = (_THINKS, _SPEAKS, _PARIS, _OSLO)
_DONE = {"done": True, "done_reason": "stop", "prompt_eval_count": 21, "eval_count": 17}
_STEPS = (
    Step(_line()),
    Step(_line(thinking="Let me"), (ReasoningDelta("Let me"),)),
    Step(_line(thinking=" see."), (ReasoningDelta(" see."),)),
    Step(_line(content="Grüße "), (TextDelta("Grüße "),)),
    Step(_line(content="aus 東京 🗼"), (TextDelta("aus 東京 🗼"),)),
    Step(_line(**_call(1, "Paris")), (ToolCallDelta("call_1", "get_weather", '{"city":"Paris"}'),)),
    Step(_line(**_call(2, "Oslo")), (ToolCallDelta("call_2", "get_weather", '{"city":"Oslo"}', 1),)),
    Step(_line(_DONE)),
)
_STAGES = {
    "opened": Stage(1),
    "thinking": Stage(2, partial=(Reasoning("Let me", issuer=_ISSUER),)),
    "speaking": Stage(4, (_THINKS,), (Message("assistant", "Grüße "),)),
    "calling": Stage(5, (_THINKS,), (_SPEAKS,)),
    "calling again": Stage(6, (_THINKS, _SPEAKS, _PARIS)),
    "after the last delta": Stage(7, _WHOLE),
    "finished": Stage(7, _WHOLE),
}
OLLAMA = Script(
    host=HOST,
    steps=_STEPS,
    stages=_STAGES,
    content=_WHOLE,
    raw_finish_reason="stop",
    usage=Usage(21, 17),
    opening_usage=None,
    model="qwen3:4b",
    id=None,
    fault=_fault,
    passing=Told("", "server", code=None),
    refusing=None,
    wire=LINES,
)
