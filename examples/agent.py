"""A think, act, observe loop: ask the model, run what it calls, show it what came, until it answers.

Offline it plays a recording; with a server of your own: `python examples/agent.py "Weather in Rome?" --live`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from triptych import ErrorItem, LlmClient, run_calls, tool
from triptych.agent import ExecutionContext, clear_tool_results, format_trace, prepare_request

MODEL = "llamacpp/qwen2.5-coder-0.5b-instruct-q4_k_m"
CASSETTE = Path(__file__).parent.parent / "cassettes" / "agent" / "weather.yaml"
QUESTION = "What is the weather in Oslo?"
RULES = "You are a helpful assistant. Use the tools to find out what you do not know."


@tool
def get_weather(city: str) -> str:
    """Tell the weather in a city now.

    Args:
        city: Name of the city, in English.
    """
    return {"Oslo": "4 degrees, rain", "Rome": "19 degrees, sun"}.get(city, "unknown")


def run(client: LlmClient, question: str, *, max_steps: int = 6) -> ExecutionContext:
    """Return what happened between the question and the answer, which is the `final_result`."""
    tools = [get_weather]
    context = ExecutionContext()
    context.add("user", question)
    while context.final_result is None and context.current_step < max_steps:
        context.current_step += 1
        request = prepare_request(context, instructions=RULES, tools=tools, select=clear_tool_results(keep=5))
        response = client.generate(request)  # think
        context.add("agent", response.content)
        if response.error is not None:
            context.add("agent", ErrorItem(response.error.message, response.error.kind))
            break
        results = run_calls(response.tool_calls, tools, timeout=10)  # act
        if results:
            context.add("tools", results)  # observe
        else:
            context.final_result = response.text
    return context


def main() -> None:
    """Answer the question of the command line, or the recorded one, and show how."""
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    cassette = None if "--live" in sys.argv else CASSETTE
    with LlmClient(MODEL, temperature=0, cassette=cassette) as client:
        context = run(client, *words[:1] or [QUESTION])
    print(format_trace(context))


if __name__ == "__main__":
    main()
