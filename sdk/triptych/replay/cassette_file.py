"""A cassette as a file: its header lines, reading it whole, replacing it in one step."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

import yaml
from attrs import frozen

from triptych.replay.errors import CassetteError
from triptych.replay.matching import request_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from triptych.replay.exchange import Exchange

__all__ = ["Recording", "read_recording", "write_recording"]


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
    try:
        state = path.stat()
        return _read(str(path), (state.st_ino, state.st_mtime_ns, state.st_size))
    except FileNotFoundError:
        raise CassetteError(str(path), 'there is no such file; record it with record="once"') from None
    except UnicodeDecodeError as error:
        raise CassetteError(str(path), f"it is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise CassetteError(str(path), f"it cannot be read: {error.strerror or error}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise CassetteError(str(path), f"it is not valid YAML: {error.problem or error.context}", line) from error
    except (ValueError, yaml.YAMLError) as error:
        raise CassetteError(str(path), str(error)) from error


# The stamp is part of the key: a file that was replaced or edited is read anew.
@lru_cache(maxsize=512)
def _read(path: str, _stamp: tuple[int, int, int]) -> Recording:
    # Imported when the first cassette is used: vcrpy is an extra.
    from triptych.replay.vcr_text import exchanges_from_text

    # newline="" keeps line ends as they are; YAML has its own rules for them.
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    exchanges = exchanges_from_text(text)
    keys = [request_key(each.method, each.url, each.request_body) for each in exchanges]
    return Recording(path, tuple(_header_lines(text)), tuple(exchanges), tuple(keys))


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
    text = f"{lines}interactions:\n{body}version: 1\n" if body else f"{lines}interactions: []\nversion: 1\n"
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
