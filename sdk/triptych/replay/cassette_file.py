"""A cassette as a file: its header lines, reading it whole, replacing it in one step."""

from __future__ import annotations

import os
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from attrs import frozen

from triptych.replay.errors import CassetteError
from triptych.replay.matching import request_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from triptych.replay.exchange import Exchange

__all__ = ["Recording", "read_recording", "read_text", "write_recording"]

# The last line of each file that we or vcrpy write.
_END = "version: 1\n"


@frozen
class Recording:
    """What a cassette file holds.

    Args:
        path: The file.
        header: The comment lines at its top, without the `# `.
        exchanges: The exchanges in recorded order.
        keys: The `request_key` of each.
    """

    path: str
    header: tuple[str, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    keys: tuple[bytes, ...] = ()


def read_recording(path: Path) -> Recording:
    """Read a cassette. A file that has not changed since it was last read is not parsed again.

    Args:
        path: The file.

    Returns:
        What it holds.

    Raises:
        CassetteError: It is missing, not readable, not YAML, or not a cassette.
    """
    with _faults_named(path):
        state = path.stat()
        return _read(path, (state.st_ino, state.st_mtime_ns, state.st_size))


def read_text(path: Path) -> str:
    """Read the text of a cassette.

    Args:
        path: The file.

    Returns:
        The text; line ends are as they are in the file, since YAML has its own rules for them.

    Raises:
        CassetteError: It is missing, not readable, or not UTF-8.
    """
    with _faults_named(path):
        data = path.read_bytes()
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise CassetteError(str(path), f"it is not UTF-8 text (byte {error.start})", line) from error


@contextmanager
def _faults_named(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise CassetteError(str(path), 'there is no such file; record it with record="once"') from None
    except OSError as error:
        raise CassetteError(str(path), f"it cannot be read: {error.strerror or error}") from error


# The stamp is part of the key: a file that was replaced or edited is read anew.
@lru_cache(maxsize=512)
def _read(path: Path, _stamp: tuple[int, int, int]) -> Recording:
    # Imported when the first cassette is used: vcrpy, and PyYAML with it, is an extra.
    from triptych.replay.document import Misfit
    from triptych.replay.layout import exchanges_from_text

    text = read_text(path)
    try:
        exchanges = exchanges_from_text(text)
    except Misfit as misfit:
        raise CassetteError(str(path), str(misfit), misfit.line) from misfit
    keys = [request_key(each.method, each.url, each.request_body) for each in exchanges]
    return Recording(str(path), tuple(_header_lines(text)), tuple(exchanges), tuple(keys))


def _header_lines(text: str) -> Iterable[str]:
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        yield line[1:].strip()


def write_recording(path: Path, header: Sequence[str], items: Iterable[str]) -> None:
    """Write a cassette, replacing the file in one step: a reader sees the old one or the new one.

    Args:
        path: The file; missing directories are made.
        header: Comment lines for its top, without the `# `.
        items: The text of each exchange, in order.

    Raises:
        CassetteError: It cannot be written; the old file is as it was.
    """
    lines = "".join(f"# {line}\n" for line in header)
    body = "".join(items)
    text = f"{lines}interactions:\n{body}{_END}" if body else f"{lines}interactions: []\n{_END}"
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            draft.write_text(text, encoding="utf-8", newline="")
            os.replace(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise CassetteError(str(path), f"it cannot be written: {error.strerror or error}") from error
