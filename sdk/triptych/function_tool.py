"""Tools made of functions: `@tool` reads a signature and a docstring once, a call gets its arguments as those types."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, Generic, Literal, ParamSpec, Self, TypeVar, overload

from attrs import evolve, field, frozen

from triptych.checks import is_a, shown
from triptych.signature import Injected, Signature, innermost, read_signature
from triptych.tool_arguments import structured
from triptych.tool_schema import arguments_schema, read_docstring, shaped
from triptych.tools import BaseTool, check_name

__all__ = ["FunctionTool", "Injected", "tool"]

P = ParamSpec("P")
R_co = TypeVar("R_co", covariant=True)

# How a tool in the body of a class becomes that of a method; "none" is bound already, or never.
Binding = Literal["unknown", "none", "instance", "class"]
_BINDINGS: Mapping[type, Binding] = {staticmethod: "none", classmethod: "class"}
# Where a plain function keeps its tool.
_KEPT = "__triptych_tool__"
# The fields of a definition: what a pickle holds beside the function's name.
_DEFINITION = ("name", "description", "parameters", "strict", "provider_data", "issuer")


@frozen
class _Derived:
    """What was read from a function, once.

    Args:
        signature: What it takes.
        words: What the docstring says of each parameter.
        schema: The JSON Schema of what the model gives.
    """

    signature: Signature
    words: Mapping[str, str]
    schema: Mapping[str, Any] = field(factory=dict)


def _check_function(instance: object, attribute: object, value: Any) -> None:
    if isinstance(value, type) or not (callable(value) or isinstance(value, staticmethod | classmethod)):
        raise TypeError(f"{type(instance).__name__}.function: expected a function or method, got {shown(value)}")


def _check_given_name(instance: object, attribute: Any, value: Any) -> None:
    if value is not None:
        check_name(instance, attribute, value)


@frozen(repr=False)
class FunctionTool(BaseTool, Generic[P, R_co]):
    """A tool made of a function; it can still be called like the function. Two are equal whose definitions are.

    Args:
        function: A function, bound method, partial or object with `__call__`, sync or async.
        name: What the model calls it; by default the function's name.
        description: What it does; by default what the docstring says.
        parameters: JSON Schema of the arguments; by default that of the signature.

    Raises:
        TypeError: the function takes `*args`, has no name, or has a type that cannot be resolved or be said in JSON
            Schema; the message names the parameter.
    """

    function: Callable[P, R_co] = field(eq=False, validator=_check_function)
    name: str = field(default=None, validator=_check_given_name)
    description: str | None = field(default=None, validator=is_a(str, optional=True))
    parameters: Mapping[str, Any] | None = field(default=None, validator=is_a(dict, optional=True))
    strict: bool | None = field(default=None, kw_only=True, validator=is_a(bool, optional=True))
    _derived: _Derived = field(default=None, kw_only=True, eq=False)
    _binding: Binding = field(default="unknown", kw_only=True, eq=False)

    def __attrs_post_init__(self) -> None:
        if self._derived is not None:
            return
        binding = _BINDINGS.get(type(self.function))
        if binding is not None:
            self._put("_binding", binding)
            self._put("function", innermost(self.function))
        if self.name is None:
            self._put("name", _name_of(self.function))
        words = read_docstring(self.function)
        if self.description is None:
            self._put("description", words.description)
        signature = shaped(read_signature(self.function, self.name), self.name)
        self._put("_derived", _Derived(signature, words.parameters))
        self._derive(signature.method() if binding == "class" else signature)

    def _derive(self, signature: Signature) -> None:
        """Make the schema of a signature."""
        before, words = self._derived.schema, self._derived.words
        schema = arguments_schema(signature, words)
        if self.parameters is None or self.parameters is before:
            self._put("parameters", schema)
        self._put("_derived", _Derived(signature, words, schema))

    def _put(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def from_schema(cls, definition: Mapping[str, Any], call: Callable[..., Any] | None = None) -> Self:
        """Return the tool of a function whose definition is given instead of read; see `BaseTool.from_schema`.

        Raises:
            TypeError: there is no function: `BaseTool.from_schema` makes a definition alone.
        """
        if call is None:
            raise TypeError("FunctionTool.from_schema: expected call=, the function; BaseTool.from_schema does without")
        read = BaseTool.from_schema(definition)
        return cls(call, read.name, read.description, read.parameters, strict=read.strict)

    def __repr__(self) -> str:
        return f"FunctionTool({self.name!r})"

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """Return what the function returns: arguments are passed as they are."""
        return self.function(*args, **kwargs)

    @property
    def __name__(self) -> str:
        """The function's own name, by which Python finds a class method again."""
        return str(getattr(self.function, "__name__", self.name))

    @property
    def injected(self) -> frozenset[str]:
        """The names of the parameters that the program must give: those injected that have no default."""
        return frozenset(one.name for one in self._derived.signature.parameters if one.injected and one.required)

    def execute(self, /, **arguments: Any) -> Any:
        """Return what the function gives for arguments as a model writes them; of an async one, what is to be awaited.

        Args:
            arguments: JSON values by name, which become the declared types; injected ones are passed as they are.

        Raises:
            ArgumentError: they do not fit; the message has the path, what was expected and what was given.
        """
        hidden = {one.name for one in self._derived.signature.parameters if one.injected}
        given = {name: value for name, value in arguments.items() if name not in hidden}
        return self.invoke(given, {name: value for name, value in arguments.items() if name in hidden})

    def invoke(self, arguments: Mapping[str, Any], inject: Mapping[str, Any] | None = None) -> Any:
        """Return what the function gives for a model's arguments and the program's; see `execute`.

        Args:
            arguments: The model's: it cannot give an injected parameter.
            inject: The program's, by name; those of other tools may be among them.

        Raises:
            ArgumentError: the model's arguments do not fit.
            TypeError: an injected parameter without a default is not given.
        """
        signature, others = self._derived.signature, inject or {}
        given = structured(signature, self._derived.schema, arguments)
        positional = []
        for one in signature.parameters:
            if one.injected and one.name in others:
                given[one.name] = others[one.name]
            elif one.injected and one.required:
                raise TypeError(
                    f"tool {self.name!r}: nothing to inject for {one.name!r}: give inject={{{one.name!r}: …}}"
                )
            if one.kind is one.kind.POSITIONAL_ONLY:
                positional.append(given.pop(one.name, one.default))
        function: Callable[..., Any] = self.function
        return function(*positional, **given)

    def __set_name__(self, owner: type, name: str) -> None:
        """Note that the function is a method of the class that is being made, and hide its first parameter."""
        if self._binding == "unknown" and inspect.isfunction(self.function) and _belongs(self.function, owner):
            self._derive(self._derived.signature.method())
            self._put("_binding", "instance")

    def __get__(self, instance: object, owner: type | None = None) -> FunctionTool[..., R_co]:
        """Return the tool of a method, bound to its instance or class; any other tool as it is."""
        if self._binding == "class":
            return self.bound(owner if owner is not None else type(instance))
        if self._binding == "instance" and instance is not None:
            return self.bound(instance)
        if self._binding == "unknown" and isinstance(instance, type) and _belongs(self.function, *instance.__mro__):
            return self.bound(instance)  # within a classmethod object, which asks so in Python before 3.13
        return self

    def bound(self, instance: object) -> FunctionTool[..., R_co]:
        """Return the tool with the function's first parameter given, as that of a method is."""
        bound = evolve(self, function=types.MethodType(self.function, instance), binding="none")
        if self._binding == "unknown":
            bound._derive(self._derived.signature.method())
        return bound

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        function = self.function
        definition = {name: getattr(self, name) for name in _DEFINITION}
        if inspect.isfunction(function):  # the name of a decorated function leads to its tool
            if "<locals>" in function.__qualname__:
                raise TypeError(f"the tool {self.name!r} cannot be pickled: its function is local to another")
            return _restored, (type(self), None, function.__module__, function.__qualname__, definition)
        return _restored, (type(self), function, "", "", definition)


def _restored(kind: type[FunctionTool[..., Any]], function: Any, module: str, path: str, definition: Any) -> Any:
    if function is None:
        __import__(module)
        function = functools.reduce(getattr, path.split("."), sys.modules[module])
    if isinstance(function, FunctionTool):
        return evolve(function, **definition)
    return kind(function, **definition)


def _belongs(function: object, *owners: type) -> bool:
    home = getattr(function, "__qualname__", "").rpartition(".")[0]
    return home in [owner.__qualname__ for owner in owners]


def _name_of(function: object) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name: str = getattr(function, "__name__", None) or type(function).__name__
    if name == "<lambda>":
        raise TypeError("FunctionTool.name: expected a name for a lambda, got none: give name=")
    return name


@overload
def tool(function: Callable[P, R_co], /) -> FunctionTool[P, R_co]:
    """Return the tool of a function."""


@overload
def tool(
    *, name: str | None = None, description: str | None = None, strict: bool | None = None
) -> Callable[[Callable[P, R_co]], FunctionTool[P, R_co]]:
    """Return a decorator that makes the tool of a function."""


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    strict: bool | None = None,
) -> Any:
    """Return the tool of a function: `@tool`, `@tool(name="…")` or `tool(function)`.

    The schema of the arguments comes from the signature (the names, types and defaults), the descriptions from the
    docstring. The arguments of a call are checked and turned into the declared types. A parameter that is annotated
    `Annotated[T, Injected]` is given by the program and not shown to the model.

    Args:
        function: The function, bound method, partial or object with `__call__`, sync or async.
        name: What the model calls it; by default the function's name.
        description: What it does; by default what the docstring says.
        strict: Whether the provider shall hold the model to the schema; None leaves it to the provider.

    Raises:
        TypeError: the function takes `*args`, or has a type that cannot be resolved or be said in JSON Schema.
    """

    def made(function: Callable[..., Any]) -> FunctionTool[..., Any]:
        if isinstance(function, types.MethodType) and isinstance(function.__func__, FunctionTool):
            return function.__func__.bound(function.__self__)  # a class method, which Python bound itself
        return FunctionTool(function, name, description, strict=strict)  # type: ignore[arg-type]  # a name of None becomes the function's, so the field is a str

    return made if function is None else made(function)


def tool_of(function: Callable[..., Any]) -> FunctionTool[..., Any]:
    """Return the tool of a function; a plain function keeps it, so that it is read once however often it is given.

    Raises:
        TypeError: see `tool`.
    """
    if not isinstance(function, types.FunctionType):
        return tool(function)
    kept = function.__dict__.get(_KEPT)
    if kept is None or kept.function is not function:  # `functools.wraps` copies what the wrapped function keeps
        kept = function.__dict__[_KEPT] = tool(function)
    return kept
