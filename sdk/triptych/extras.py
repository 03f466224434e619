"""What needs a package that is installed only when asked for."""

from __future__ import annotations

from triptych.errors import LlmError


def missing_extra(what: str, package: str, extra: str) -> LlmError:
    """Return the error of a call that needs a package which is not there.

    Args:
        what: What it is needed for.
        package: The package.
        extra: The extra of this library that brings it.
    """
    words = f"{what} needs {package}, which is not installed: pip install 'triptych[{extra}]'"
    return LlmError(words, "invalid_request", code="missing_extra")
