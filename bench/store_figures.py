"""The figures of the store: saving, loading and the last turns of threads of two sizes, beside `json` alone."""

import gc
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.figures import FULL, Size, expect
from bench.launch import Server
from bench.measure import Sample
from bench.report import Figure, Target

ITEMS = 100_000
LAST = 200
ROUNDS = 3
# What is linear costs the same an item, whatever the size; the margin is for the collections that many objects cost.
LINEAR = Target(1.5, "a tenth of it")


def store_figures(server: Server, size: Size) -> Iterator[Figure]:
    """Yield what a store costs, in CPU, for an item of a long thread and of one that is a tenth as long.

    The column `json` is the same items as dictionaries, written and read as JSON lines without any check or index.
    """
    whole = ITEMS if size is FULL else ITEMS // 10
    measured: dict[str, dict[str, list[float]]] = {"save": {}, "load": {}, "last": {}}
    for _ in range(ROUNDS if size is FULL else 1):
        for name, count in (("a tenth of it", whole // 10), ("triptych", whole)):
            for what, seconds in _stored(count).items():
                measured[what].setdefault(name, []).append(seconds * 1e6)
        for what, seconds in _dumped(whole).items():
            measured[what].setdefault("json", []).append(seconds * 1e6)
    samples = {what: {name: Sample(values) for name, values in found.items()} for what, found in measured.items()}
    yield Figure(f"save {whole:,} items in a store, CPU", "µs/item", samples["save"], [LINEAR])
    yield Figure(f"load {whole:,} items from a store, CPU", "µs/item", samples["load"], [LINEAR])
    yield Figure(f"last {LAST} turns of {whole:,}, CPU", "µs/turn", samples["last"], [LINEAR])


def _stored(count: int) -> dict[str, float]:
    """Return seconds an item of saving and loading a thread, a turn an item, and seconds a turn of its last ones."""
    from triptych.store import Store
    from triptych.threads.thread import Thread
    from triptych.threads.turn import Turn

    thread = Thread(
        tuple(Turn("user" if number % 2 == 0 else "assistant", (_item(number),)) for number in range(count))
    )
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "threads.sqlite") as store:
        saving, _ = _timed(lambda: store.save("a", thread))
        loading, loaded = _timed(lambda: store.thread("a"))
        expect("thread that was loaded", len(loaded.turns), count)
        last, found = _timed(lambda: store.thread("a", last=LAST))
        expect("last turns", found.turns, thread.turns[-LAST:])
    return {"save": saving / count, "load": loading / count, "last": last / LAST}


def _item(number: int) -> Any:
    from triptych import Message

    return Message("user" if number % 2 == 0 else "assistant", f"Message {number}: {'words ' * 20}")


def _dumped(count: int) -> dict[str, float]:
    """Return the same of JSON lines, whose last ones are found by reading all."""
    rows = [
        {"content_type": "message", "role": "user", "content": f"Message {n}: {'words ' * 20}"} for n in range(count)
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.jsonl"

        def save() -> None:
            with path.open("w") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)

        def load() -> list[Any]:
            with path.open() as file:
                return [json.loads(line) for line in file]

        saving, _ = _timed(save)
        loading, _ = _timed(load)
        last, _ = _timed(lambda: load()[-LAST:])
    return {"save": saving / count, "load": loading / count, "last": last / LAST}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    gc.collect()
    gc.freeze()  # or collections would walk the items that others hold, and charge them to this work
    begin = time.process_time()
    result = work()
    spent = time.process_time() - begin
    gc.unfreeze()
    return spent, result
