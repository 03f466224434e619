"""Looks through cassettes for what belongs to an account or a person: keys, cookies, ids, addresses."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from triptych.replay.cassette_file import read_text
from triptych.replay.errors import CassetteError
from triptych.replay.patterns import Hit, header_kind, hits
from triptych.replay.scrub import PLACEHOLDER, Scrubber

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from triptych.replay.places import Place

__all__ = ["Finding", "cassettes_below", "check", "check_text"]

# What an excerpt shows in place of a value, and how much it shows around it.
_MASK = "***"
_AROUND = 24
# What could be half of something that has no pattern.
_OPAQUE = re.compile(r"(?=[^\d\s]*\d)[\w+/=.-]{8,}")
# A line of the header that lets a value pass: `# allow: email support@vendor.com`.
_ALLOWED = "allow"
_SUFFIXES = frozenset({".yaml", ".yml"})


@frozen
class Finding:
    """Something that a cassette must not hold.

    Args:
        path: The file.
        line: The line, counted from 1: of the value itself, or where the base64 or the escapes that hide it begin.
        what: What it is.
        where: The part of the cassette, such as `interactions[3].response.headers.x-foo`.
        kind: The same as `what` in a word, which `# allow:` takes.
        excerpt: The text around it, the value itself masked.
    """

    path: str
    line: int
    what: str
    where: str
    kind: str
    excerpt: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.kind}: {self.what} in {self.where}: {self.excerpt}"


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, secrets: Sequence[str] = ()
) -> list[Finding]:
    """Look through cassettes for what must not be published.

    URLs, headers, bodies and comments are searched, in every spelling: JSON and percent escapes, base64, compressed
    bodies, frames of AWS event streams. What stands in a `# allow: <kind> <value>` line at the top of a file passes.

    Args:
        paths: A file or directory, or several; below a directory all `*.yaml` and `*.yml` files are meant.
        secrets: Values that were in use while recording, and must not be found whatever they look like.

    Returns:
        What was found, in the order of the files and their lines.

    Raises:
        CassetteError: A file cannot be read, or there is none.
    """
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    files = [file for path in several for file in cassettes_below(path)]
    return [finding for file in files for finding in check_text(read_text(file), str(file), secrets=secrets)]


def cassettes_below(path: str | os.PathLike[str]) -> list[Path]:
    """Return the cassettes that a path stands for.

    Args:
        path: A file or directory.

    Raises:
        CassetteError: It is a directory without cassettes: to look through nothing must not look like success.
    """
    where = Path(path)
    if not where.is_dir():
        return [where]
    files = sorted(file for file in where.rglob("*") if file.suffix in _SUFFIXES and file.is_file())
    if not files:
        raise CassetteError(str(where), "there is no cassette in this directory")
    return files


def check_text(text: str, path: str = "", *, secrets: Sequence[str] = ()) -> list[Finding]:
    """Look through the text of one cassette; see `check`.

    Args:
        text: The whole file.
        path: What to call it.
        secrets: Values that must not be found.

    Raises:
        CassetteError: It is not a cassette.
    """
    # Imported when a cassette is read: PyYAML comes with an extra.
    from triptych.replay.document import Misfit
    from triptych.replay.places import places

    try:
        found = list(places(text))
    except Misfit as misfit:
        raise CassetteError(path, str(misfit), misfit.line) from misfit
    allowed = set(_allowed(text))
    scrubber = Scrubber.of(secrets)
    findings: dict[tuple[int, str, str], Finding] = {}
    for place in found:
        spots = list(_hits(place, scrubber))
        for number, hit in enumerate(spots):
            value = place.text[hit.start : hit.end]
            line = place.line + (place.text.count("\n", 0, hit.start) if place.has_lines else 0)
            if (hit.kind, value) not in allowed:
                near = spots[max(number - 1, 0) : number + 2] + spots[-1:]
                finding = Finding(path, line, hit.what, place.where, hit.kind, _excerpt(place.text, hit, near))
                findings.setdefault((line, hit.kind, value), finding)
    return sorted(findings.values(), key=lambda finding: finding.line)


def _hits(place: Place, scrubber: Scrubber) -> Iterator[Hit]:
    if place.header and (named := header_kind(place.header)) and not _is_blank(place.text):
        yield Hit(*named, 0, len(place.text))
        return
    yield from hits(place.text)
    if scrubber.text(place.text) != place.text:
        yield Hit("secret", "a secret that was in use while it was recorded", 0, len(place.text))


def _is_blank(value: str) -> bool:
    """Return whether a header's value tells nothing: it is empty, or the placeholder, after a scheme or without."""
    words = value.split()
    return not words or words == [PLACEHOLDER] or (len(words) == 2 and words[0].isalpha() and words[1] == PLACEHOLDER)


def _allowed(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if not line.startswith("#"):
            return
        name, _, rule = line.removeprefix("#").partition(":")
        if name.strip() == _ALLOWED:
            kind, _, value = rule.strip().partition(" ")
            yield kind, value.strip()


def _excerpt(text: str, hit: Hit, near: Sequence[Hit]) -> str:
    """Return what stands around a find, as far as no find near it begins; nothing of a text that is a secret."""
    if any(other is not hit and other.start <= hit.start and hit.end <= other.end for other in near):
        return _MASK
    start = max([hit.start - _AROUND, 0, *(other.end for other in near if other.end <= hit.start)])
    end = min([hit.end + _AROUND, *(other.start for other in near if other.start >= hit.end)])
    before, after = (_OPAQUE.sub("…", part) for part in (text[start : hit.start], text[hit.end : end]))
    words = f"{before}{_MASK}{after}"
    return "".join(character if character.isprintable() else " " for character in words).strip()
