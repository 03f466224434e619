"""The parameters of a function that a model shall call: their resolved types, defaults and which of them it sees."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from attrs import frozen

REQUIRED = inspect.Parameter.empty


class Injected:
    """Marks a parameter that the program gives and the model does not see: `db: Annotated[Database, Injected]`."""


@frozen
class Parameter:
    """One parameter.

    Args:
        name: Its name.
        annotation: Its type; `Any` where it has none.
        kind: How it is passed, as `inspect` says it.
        default: Its default, or `REQUIRED`.
        injected: Whether the program gives it.
        shape: What a model's value for it is in JSON, once that is known: a `triptych.output_types.Shape`.
    """

    name: str
    annotation: Any
    kind: Any
    default: Any = REQUIRED
    injected: bool = False
    shape: Any = None

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is REQUIRED


@frozen
class Signature:
    """What a function takes.

    Args:
        parameters: The parameters in order, those that are injected among them.
        rest: What further arguments by name are, where it takes any: the annotated `**others`.
    """

    parameters: tuple[Parameter, ...] = ()
    rest: Parameter | None = None

    @property
    def shown(self) -> tuple[Parameter, ...]:
        """The parameters that the model sees."""
        return tuple(one for one in self.parameters if not one.injected)

    def method(self) -> Signature:
        """Return the signature without the first parameter, which a method gets from its instance."""
        return Signature(self.parameters[1:], self.rest)


def read_signature(function: Callable[..., Any], name: str) -> Signature:
    """Return what a function takes.

    Args:
        function: A function, method, partial or object with `__call__`.
        name: The tool's name, for the words of an error.

    Raises:
        TypeError: it takes `*args`, or an annotation that cannot be resolved; the message names the parameter.
    """
    try:
        given = inspect.signature(function).parameters.values()
    except (ValueError, TypeError, NameError) as fault:
        raise TypeError(f"tool {name!r}: its parameters cannot be read: {fault}") from None
    preset = function.keywords if isinstance(function, functools.partial) else {}
    scope = _Scope(innermost(function))
    parameters: list[Parameter] = []
    rest: Parameter | None = None
    for one in given:
        where = f"tool {name!r}: parameter {one.name!r}"
        if one.kind is one.VAR_POSITIONAL:
            raise TypeError(
                f"{where}: expected parameters with names, got *{one.name}: a model gives arguments by name"
            )
        annotation = Any if one.annotation in (one.empty, object) else scope.resolved(one.annotation, where)
        if one.kind is one.VAR_KEYWORD:
            rest = None if one.annotation is one.empty else Parameter(one.name, annotation, one.kind)
        elif one.name not in preset:
            injected = any(mark is Injected or isinstance(mark, Injected) for mark in _marks(annotation))
            parameters.append(Parameter(one.name, annotation, one.kind, one.default, injected))
    return Signature(tuple(parameters), rest)


def _marks(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()


def innermost(function: Any) -> Any:
    """Return the plain function in a method, a partial, a decorated function or an object with `__call__`."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.MethodType | staticmethod | classmethod):
            function = function.__func__
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif not hasattr(function, "__code__") and hasattr(type(function), "__call__"):  # noqa: B004  # it is called, not asked
            call = type(function).__call__
            if not hasattr(call, "__code__"):
                return function
            function = call
        else:
            return function


class _Scope:
    """Where the names in the annotations of a function are looked up.

    Args:
        function: The plain function.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self._globals: dict[str, Any] = getattr(function, "__globals__", {})
        self._locals: Mapping[str, Any] | None = None

    def resolved(self, annotation: Any, where: str) -> Any:
        """Return a type for an annotation that may be a str, or hold some.

        Raises:
            TypeError: a name in it is nowhere to be found.
        """
        if self._locals is None:
            self._locals = _local_names(self._function)
        holder = types.SimpleNamespace(__annotations__={"it": annotation})
        try:
            return get_type_hints(holder, self._globals, dict(self._locals), include_extras=True)["it"]
        except Exception as fault:  # an annotation may be any expression, and fail as any may
            words = f"{type(fault).__name__}: {fault}"
            raise TypeError(f"{where}: expected a type that can be resolved, got {annotation!r}: {words}") from None


def _local_names(function: Any) -> dict[str, Any]:
    """Return the names that are visible where a function was defined: in its closure, and in scopes that still run."""
    steps = getattr(function, "__qualname__", "").split(".")[:-1]
    scopes = {".".join(steps[: end + 1]) for end, step in enumerate(steps) if step != "<locals>"}
    names: dict[str, Any] = {}
    frame = sys._getframe() if scopes else None
    while frame is not None:
        if frame.f_code.co_qualname in scopes and frame.f_globals is function.__globals__:
            names = {**frame.f_locals, **names}
        frame = frame.f_back
    code = getattr(function, "__code__", None)
    for name, cell in zip(code.co_freevars if code else (), getattr(function, "__closure__", None) or (), strict=False):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # it is not filled yet
            continue
    return names
