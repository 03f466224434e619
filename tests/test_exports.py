"""Tests of the public face: the names that `triptych` gives, and that all which is public says what it is for."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import triptych
from triptych import aio, replay

PACKAGE = Path(triptych.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

PUBLIC = [
    "Attempt",
    "Audio",
    "BaseTool",
    "ClientContext",
    "CompressionFiller",
    "ContentItem",
    "Deleted",
    "Document",
    "ErrorItem",
    "Event",
    "ExecutionContext",
    "FetchError",
    "FunctionTool",
    "Image",
    "Injected",
    "Issuer",
    "ItemDone",
    "Limits",
    "LlmClient",
    "LlmError",
    "LlmRequest",
    "LlmResponse",
    "LlmStream",
    "Message",
    "Notice",
    "Opaque",
    "OutputSchema",
    "Part",
    "Provider",
    "ProviderError",
    "ProviderEvent",
    "ProviderTool",
    "Quirks",
    "Reasoning",
    "ReasoningDelta",
    "Refusal",
    "RefusalDelta",
    "Retries",
    "Secret",
    "Settings",
    "Store",
    "StoreError",
    "StreamEvent",
    "Text",
    "TextDelta",
    "Thread",
    "Timeout",
    "ToolCall",
    "ToolCallDelta",
    "ToolResult",
    "ToolRun",
    "Turn",
    "Usage",
    "Video",
    "compress",
    "convert",
    "dumps",
    "fetch",
    "fetch_media",
    "format_trace",
    "load_providers",
    "loads",
    "prepare_request",
    "read_request",
    "register_key_source",
    "register_provider",
    "run_calls",
    "run_tools",
    "tool",
]
ALIASES = {"ContentItem", "Part", "StreamEvent"}  # unions: they are documented where they are made


def test_the_public_names_are_exactly_these() -> None:
    assert triptych.__all__ == PUBLIC


def test_dir_shows_the_public_names_and_the_version() -> None:
    assert dir(triptych) == sorted([*PUBLIC, "__version__"])


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_found_in_its_home_and_documented(name: str) -> None:
    value = getattr(triptych, name)
    if name not in ALIASES:
        assert value.__module__ == f"triptych.{triptych._HOME_OF[name]}"
        assert value.__name__ == name
        assert inspect.getdoc(value)


def test_every_public_name_can_be_imported_alone_in_a_new_interpreter() -> None:
    lines = [f"from triptych import {name}" for name in PUBLIC]
    code = "import sys\n" + "".join(
        f"for module in [m for m in sys.modules if m.startswith('triptych')]: del sys.modules[module]\n{line}\n"
        for line in lines
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_a_star_import_brings_all_public_names() -> None:
    names: dict[str, object] = {}
    exec("from triptych import *", names)
    assert sorted(names.keys() - {"__builtins__"}) == PUBLIC


def test_a_name_is_kept_once_it_was_used() -> None:
    assert triptych.Message is triptych.Message
    assert vars(triptych)["Message"] is triptych.Message


def test_an_unknown_name_is_an_attribute_error_like_that_of_any_module() -> None:
    with pytest.raises(AttributeError) as caught:
        triptych.LlmRequset  # noqa: B018  # the misspelling is the point
    assert str(caught.value) == "module 'triptych' has no attribute 'LlmRequset'"


def test_the_version_is_that_of_the_distribution() -> None:
    from importlib.metadata import version

    assert triptych.__version__ == version("triptych")


def test_the_awaitable_client_has_the_name_of_the_blocking_one() -> None:
    assert aio.LlmClient.__name__ == "LlmClient"
    assert issubclass(aio.LlmClient, triptych.LlmClient)


@pytest.mark.parametrize("name", replay.__all__)
def test_a_public_name_of_replay_is_found_and_documented(name: str) -> None:
    value = getattr(replay, name)
    assert getattr(value, "__origin__", None) is not None or inspect.getdoc(value)


def public_definitions(path: Path) -> Iterator[tuple[str, ast.AST]]:
    """Yield the module of a file and every public class, function and method in it, with a name to show."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    yield name, tree
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield f"{name}.{node.name}", node
            for member in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) and not member.name.startswith("_"):
                    yield f"{name}.{node.name}.{member.name}", member


def test_every_public_module_class_function_and_method_has_a_docstring() -> None:
    found = [definition for path in MODULES for definition in public_definitions(path)]
    silent = [
        name
        for name, node in found
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and not ast.get_docstring(node)
        and "overload" not in map(ast.unparse, getattr(node, "decorator_list", ()))
    ]
    assert len(found) > 100
    assert silent == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_opens_with_a_line_that_says_what_it_is_for(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first = docstring.partition("\n")[0]
    assert first.endswith((".", ":"))
    assert len(first) <= 117
