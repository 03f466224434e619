"""The figures of a history as JSON: saved and loaded, beside `json` alone, and that the time grows as the items do."""

import gc
import json
from collections.abc import Callable, Iterator
from typing import Any

from bench.figures import Size, expect
from bench.launch import Server
from bench.measure import Sample, cpu_per_call
from bench.report import Figure, Target

ITEMS = 100_000
TENTH = ITEMS // 10


def persist_figures(server: Server, size: Size) -> Iterator[Figure]:
    """Yield the CPU of saving and of loading a hundred thousand items, then that of an item in a tenth as many."""
    from triptych.persist import dumps, loads

    history = _history(ITEMS)
    text = dumps(history)
    expect("history that was saved and loaded", loads(text) == history, True)
    plain = json.loads(text)
    rounds = min(size.short[0], 5)
    yield _beside_json("save", {"triptych": lambda: dumps(history), "json": lambda: json.dumps(plain)}, rounds, 4)
    yield _beside_json("load", {"triptych": lambda: loads(text), "json": lambda: json.loads(text)}, rounds, 5)
    fewer, less = history[:TENTH], dumps(history[:TENTH])
    yield _linear("save", lambda: dumps(history), lambda: dumps(fewer), rounds)
    yield _linear("load", lambda: loads(text), lambda: loads(less), rounds)


def _history(items: int) -> list[Any]:
    from triptych import Message, ToolCall, ToolResult

    turns = range(items // 4)
    return [
        item
        for turn in turns
        for item in (
            Message("user", f"What is the weather in town {turn}, and what shall I wear there?"),
            ToolCall(f"call_{turn}", "weather", {"town": turn, "days": [1, 2, 3], "unit": {"name": "celsius"}}),
            ToolResult(f"call_{turn}", "weather", content=["sunny"], payload={"degrees": [20.5, 21.0]}),
            Message("assistant", "It will be sunny all three days, so that a light jacket is quite enough."),
        )
    ]


def _measured(subjects: dict[str, Callable[[], Any]], rounds: int) -> dict[str, Sample]:
    """Return the milliseconds of each subject's single call."""
    calls = {name: (lambda: None, lambda _, call=call: call()) for name, call in subjects.items()}
    samples = cpu_per_call(calls, rounds, 1)
    return {name: Sample([value / 1e3 for value in sample.values]) for name, sample in samples.items()}


def _beside_json(what: str, subjects: dict[str, Callable[[], Any]], rounds: int, most: float) -> Figure:
    return Figure(f"{what} {ITEMS:,} items, CPU", "ms", _measured(subjects, rounds), [Target(most, "json")])


def _linear(what: str, whole: Callable[[], Any], tenth: Callable[[], Any], rounds: int) -> Figure:
    # Without the garbage collector, whose walks grow with all that is alive, and of which `json` alone pays the same.
    gc.disable()
    try:
        samples = _measured({"triptych": whole, "a tenth": tenth}, rounds)
    finally:
        gc.enable()
    each = {"triptych": ITEMS, "a tenth": TENTH}
    values = {name: Sample([value * 1e3 / each[name] for value in sample.values]) for name, sample in samples.items()}
    return Figure(f"{what} one of {ITEMS:,} items, CPU", "µs/item", values, [Target(1.3, "a tenth")])
