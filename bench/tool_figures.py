"""The figures of tools: a call with tools made of functions, beside the same call with their definitions ready-made."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

from attrs import define

from bench.figures import FORMATS, Size, expect
from bench.launch import Server
from bench.measure import cpu_per_call
from bench.peers import triptych_client
from bench.report import Figure, Target
from bench.workloads import meaning

TOOLS = 20
QUESTION = "What is 2 + 2?"


@define
class Condition:
    """A condition on one column."""

    field: str
    operator: Literal["eq", "ne", "lt", "le", "gt", "ge", "contains"]
    value: str | int | bool | None


def tool_figures(server: Server, size: Size) -> Iterator[Figure]:
    """Yield the CPU of a call with twenty tools on each format; the requests are made anew for every call."""
    for format_name in FORMATS:
        yield _cpu(server, format_name, size)


def _cpu(server: Server, format_name: str, size: Size) -> Figure:
    from triptych import LlmRequest, ProviderTool, formats

    client = triptych_client(server.base_url("fast", format_name), format_name)
    functions = _functions()
    built = formats.load(format_name).build_request(formats.Call(LlmRequest(contents=QUESTION, tools=functions)))
    ready = [ProviderTool(definition) for definition in built.body["tools"]]

    def asking(tools: list[Any]) -> Callable[[None], Any]:
        return lambda _: client.generate(LlmRequest(contents=QUESTION, tools=tools))

    bodies = []
    for tools in (functions, ready):
        response = asking(tools)(None)
        expect(f"answer on {format_name}", response.text, "4")
        bodies.append(meaning(server.last_body()))
    expect(f"body sent with functions on {format_name}", bodies[0], bodies[1])
    rounds, calls = size.short
    subjects = {"triptych": functions, "dictionaries": ready}
    samples = cpu_per_call({name: (lambda: None, asking(tools)) for name, tools in subjects.items()}, rounds, calls)
    client.close()
    return Figure(f"{TOOLS} tools, {format_name}, CPU", "µs/call", samples, [Target(1.2, "dictionaries")])


def _functions() -> list[Any]:
    import msgspec

    from triptych import tool

    row_id = Annotated[str, msgspec.Meta(description="Identifier of the row.", max_length=40)]

    def search(row: row_id, conditions: list[Condition], limit: int = 10, dry_run: bool = False) -> str:
        """Search rows that meet all conditions, and return them as a JSON list.

        Args:
            row: Where to begin.
            conditions: All of which must hold.
            limit: Most rows to return.
            dry_run: Only tell what would be done.
        """
        return "[]"

    return [tool(name=f"search_{number}")(search) for number in range(TOOLS)]
