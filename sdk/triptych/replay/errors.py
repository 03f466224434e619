"""What goes wrong with cassettes: a request that none holds, a file that cannot be used."""

from __future__ import annotations

__all__ = ["CassetteError", "ReplayMiss", "missing_vcrpy"]


class ReplayMiss(Exception):
    """A request that the cassette has no unplayed answer for, in a mode that may not go to the network.

    Args:
        message: What was asked, the nearest recorded request and the fields in which the two differ.
        cassette: The file or directory that was searched.
        played: True when the very same request is recorded, but all its recordings were played already.
    """

    def __init__(self, message: str, cassette: str = "", played: bool = False) -> None:
        super().__init__(message)
        self.cassette = cassette
        self.played = played

    def __reduce__(self) -> tuple[type[ReplayMiss], tuple[str, str, bool]]:
        return type(self), (str(self), self.cassette, self.played)


class CassetteError(Exception):
    """A cassette that cannot be read or written; never a reason to go to the network instead.

    Args:
        path: The file.
        reason: What is wrong with it, and what to do.
        line: The line of the file, counted from 1, where that is known.
    """

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        where = path if line is None else f"{path}, line {line}"
        super().__init__(f"cassette {where}: {reason}")
        self.path = path
        self.reason = reason
        self.line = line

    def __reduce__(self) -> tuple[type[CassetteError], tuple[str, str, int | None]]:
        return type(self), (self.path, self.reason, self.line)


def missing_vcrpy(missing: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return the error of whoever uses a cassette without the extra that brings vcrpy, and PyYAML with it.

    Args:
        missing: What Python says.
    """
    words = "cassettes are read and written with vcrpy, which is not installed: pip install triptych[replay]"
    return ModuleNotFoundError(words, name=missing.name)
