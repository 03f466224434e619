"""A store of threads: one SQLite file that many threads and processes add to, and that a killed process cannot spoil.

    store = Store("threads.sqlite")
    turn = store.append("thread-1", [Message("user", "Hello")])
    contents = store.items("thread-1", last=200)

It is append-only: what was added is never changed or removed, and what compression leaves of a turn stands beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from triptych.store.errors import StoreBusy, StoreConflict, StoreError

if TYPE_CHECKING:
    from triptych.store.store import Store

__all__ = ["Store", "StoreBusy", "StoreConflict", "StoreError"]


def __getattr__(name: str) -> Any:
    """Load the store when it is first used: whoever only names the errors pays for nothing else."""
    if name != "Store":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from triptych.store.store import Store

    return Store


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
