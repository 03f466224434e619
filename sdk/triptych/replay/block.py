"""A cassette for every client of a block of code, or of a function."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from triptych.recorder import pop_recorder, push_recorder
from triptych.replay.tape import RecordMode, Tape

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from contextvars import Token
    from types import TracebackType

    from triptych.recorder import Recorder

__all__ = ["CassetteBlock", "cassette"]

P = ParamSpec("P")
R = TypeVar("R")


class CassetteBlock:
    """A block of code during which every client uses one cassette: what `cassette()` returns.

    Args:
        open_tape: Opens the cassette; called each time the block is entered.
        complete: Whether the whole cassette must have been played at the end of the block.
    """

    def __init__(self, open_tape: Callable[[], Tape], complete: bool = False) -> None:
        self._open_tape = open_tape
        self._complete = complete
        self._entered: tuple[Tape, Token[Recorder | None]] | None = None

    def __enter__(self) -> Tape:
        if self._entered is not None:
            raise RuntimeError("this cassette block is already open; a nested block needs a cassette(...) of its own")
        tape = self._open_tape()
        self._entered = (tape, push_recorder(tape))
        return tape

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._entered is None:
            raise RuntimeError("this cassette block is not open")
        (tape, token), self._entered = self._entered, None
        pop_recorder(token)
        # Also when the block failed: what was recorded is real, and may have cost money.
        tape.close()
        # A block that failed has a better reason to tell.
        if self._complete and kind is None:
            tape.assert_all_played()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Wrap a function: each of its calls runs in a block of its own, which plays the cassette from the start.

        Args:
            function: A function, a coroutine function or a generator function.

        Returns:
            The wrapped function.
        """
        around = _WRAPPERS[_kind(function)]
        return functools.wraps(function)(around(lambda: CassetteBlock(self._open_tape, self._complete), function))


def cassette(
    path: str | os.PathLike[str],
    record: RecordMode = "none",
    *,
    header: Mapping[str, str] | None = None,
    complete: bool = False,
) -> CassetteBlock:
    """Play and record the calls of all clients while a block runs, or each time a function is called.

    A client with a cassette of its own keeps to that one. Of nested blocks the innermost counts. Threads and clients
    that are older than the block, and connections that are open, are taken over too.

    Args:
        path: The cassette file.
        record: What may go to the network: `none`, `once`, `new` or `all`; see `Tape`.
        header: Comment lines for the top of a newly written file; see `Tape`.
        complete: Whether each exchange of the file must be asked for, and its answer read to the end.

    Returns:
        A context manager, whose `with` gives the `Tape`, and a decorator. On entry it raises CassetteError if the
        file cannot be read, or is missing where only playing is allowed; on exit, if it cannot be written, or if
        `complete` does not hold of a block that did not fail itself.
    """
    return CassetteBlock(functools.partial(Tape, path, record, header=header), complete)


def _kind(function: Callable[..., Any]) -> str:
    if inspect.iscoroutinefunction(function):
        return "coroutine"
    return "generator" if inspect.isgeneratorfunction(function) else "function"


def _around_function(block: Callable[[], CassetteBlock], function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        with block():
            return function(*args, **kwargs)

    return call


def _around_coroutine(block: Callable[[], CassetteBlock], function: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        with block():
            return await function(*args, **kwargs)

    return call


def _around_generator(block: Callable[[], CassetteBlock], function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        with block():
            return (yield from function(*args, **kwargs))

    return call


_WRAPPERS = {"function": _around_function, "coroutine": _around_coroutine, "generator": _around_generator}
