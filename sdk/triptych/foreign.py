"""Exceptions from outside: what a signal handler of the caller's, a time limit or a hook raises during a call.

They are no failure of the call and no fault of this library, so they are not told as one: they pass unchanged.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import CodeType
from typing import NoReturn

# Whose exceptions are failures of a call, or faults of this library: the packages that a call may pass through.
_OF_A_CALL = sys.stdlib_module_names | {
    "OpenSSL",
    "attr",
    "attrs",
    "boto3",
    "botocore",
    "brotli",
    "brotlicffi",
    "cattrs",
    "certifi",
    "charset_normalizer",
    "docstring_parser",
    "eventlet",
    "gevent",
    "google",
    "idna",
    "jsonschema",
    "msgspec",
    "requests",
    "socks",
    "tenacity",
    "triptych",
    "truststore",
    "urllib3",
    "vcr",
    "yaml",
    "zstandard",
}


# Those that wrap what passes through them, and that no handler of the caller's raises.
_WRAPPERS = {"http", "requests", "triptych", "urllib3", "vcr"}


class HookFailure(Exception):
    """Carries what a hook of the caller's raised through the layers that turn failures into values.

    Args:
        fault: What the hook raised.
    """

    def __init__(self, fault: Exception) -> None:
        super().__init__(fault)
        self.fault = fault


def pass_foreign(fault: BaseException) -> None:
    """Raise what came from outside, unchanged, where a fault or one that it wraps did; otherwise do nothing.

    Args:
        fault: The exception that is being handled.
    """
    for each in _chain(fault):
        if isinstance(each, HookFailure):
            _pass(each.fault)
        if _home(each) not in _OF_A_CALL:
            _pass(each)
    pass_interruption(fault)


def pass_interruption(fault: BaseException) -> None:
    """Raise what a signal handler of the caller's raised; for code of the caller's, which may raise what it likes.

    Args:
        fault: The exception that is being handled.
    """
    handlers = _signal_handlers()
    for each in _chain(fault):
        if _went_through(each, handlers):
            _pass(each)


def _home(fault: BaseException) -> str:
    """Return the package that the class of an exception is in."""
    return type(fault).__module__.partition(".")[0]


def _pass(fault: BaseException) -> NoReturn:
    raise fault from fault.__cause__


def _chain(fault: BaseException | None) -> Iterator[BaseException]:
    """Yield a fault and those that it wraps, the outermost first.

    What was being handled when it was raised is not one of them: the caller may ask while handling an error of its own.
    """
    for _ in range(8):
        if fault is None:
            return
        yield fault
        wrapped = (each for each in fault.args if isinstance(each, BaseException))  # as urllib3 and requests wrap
        fault = fault.__cause__ or next(wrapped, None)


def _went_through(fault: BaseException, handlers: frozenset[CodeType]) -> bool:
    """Return whether one of the handlers raised the fault."""
    if _home(fault) in _WRAPPERS:
        return False
    step = fault.__traceback__
    while step is not None:
        if step.tb_frame.f_code in handlers:
            return True
        step = step.tb_next
    return False


def _signal_handlers() -> frozenset[CodeType]:
    """Return the code of the Python functions that are called on signals now."""
    import signal  # only when something failed

    codes = set()
    for number in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):  # some numbers are the system's own
            code = _code_of(signal.getsignal(number))
            if code is not None:
                codes.add(code)
    return frozenset(codes)


def _code_of(handler: object) -> CodeType | None:
    while hasattr(handler, "func"):  # functools.partial
        handler = handler.func
    for called in (handler, getattr(type(handler), "__call__", None)):  # noqa: B004  # its code is wanted, not whether it is there
        code = getattr(called, "__code__", None)
        if isinstance(code, CodeType):
            return code
    return None
