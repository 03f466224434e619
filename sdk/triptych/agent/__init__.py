"""The seam for an agent loop: what happened, the next request made of it, and what of it the model is shown.

There is no agent here: a loop is a page of the program's own, on these and on `run_calls`; see examples/agent.py.
"""

from triptych.agent.context import Event, ExecutionContext
from triptych.agent.prepare import prepare_request
from triptych.agent.selection import clear_tool_results, inject, keep_turns, summarise
from triptych.agent.trace import format_trace

__all__ = [
    "Event",
    "ExecutionContext",
    "clear_tool_results",
    "format_trace",
    "inject",
    "keep_turns",
    "prepare_request",
    "summarise",
]
