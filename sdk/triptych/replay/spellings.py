"""The spellings in which a secret may stand in a message: plain, escaped, percent-encoded, inside base64."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["hints", "may_hide_letters", "spellings"]

# Fewer letters of base64 than this turn up by chance.
_FEWEST_LETTERS = 8


def spellings(secret: str) -> Iterator[bytes]:
    """Yield the patterns that find a secret.

    Args:
        secret: The secret, in plain text.

    Returns:
        Regular expressions over bytes: the text in UTF-8, each character as it is or escaped in whatever way, and
        the base64 of any text that the secret is a part of.
    """
    yield b"".join(_character(character) for character in secret)
    for letters in _base64_cores(secret):
        yield b"".join(_base64_letter(letter) for letter in letters)


def hints(secret: str) -> Iterator[bytes]:
    """Yield pieces of a secret of which one is in every text that holds it, unless `may_hide_letters` says otherwise.

    The patterns of `spellings` are slow to compile and to search with; most messages hold no secret at all.

    Args:
        secret: The secret, in plain text.

    Returns:
        For each spelling its longest piece that needs no escape; an empty one where there is none.
    """
    for text in (secret, *_base64_cores(secret)):
        yield max(_UNESCAPED.findall(text), key=len, default="").encode()


def may_hide_letters(data: bytes) -> bool:
    """Return whether the data have letters, digits or other plain characters written as escapes."""
    return _ESCAPED_PLAIN.search(data) is not None


# What neither JSON nor a URL has a reason to escape. Base64 letters are the first ones of these.
_UNESCAPED = re.compile(r"[A-Za-z0-9]+")
_ESCAPED_PLAIN = re.compile(rb"\\u00[3-7]|%[3-7]")


def _base64_cores(secret: str) -> Iterator[str]:
    """Yield what is the same in each base64 text that holds the secret.

    Base64 packs three bytes into four letters, so what stands before the secret (a user name, a scheme) shifts its
    letters in one of three ways. The letters that the secret alone decides are the same in each text.
    """
    data = secret.encode("utf-8", "surrogatepass")
    for shift, first in ((0, 0), (1, 2), (2, 3)):
        letters = base64.b64encode(bytes(shift) + data)[first : (shift + len(data)) * 8 // 6]
        if len(letters) >= _FEWEST_LETTERS:
            yield letters.decode()


def _character(character: str) -> bytes:
    """Build the pattern of one character: itself, backslashed, as a JSON escape, or percent-encoded."""
    data = character.encode("utf-8", "surrogatepass")
    units = character.encode("utf-16-be", "surrogatepass")
    escaped = b"".join(rb"\\+u" + units[i : i + 2].hex().encode() for i in range(0, len(units), 2))
    percent = b"".join(b"%%%02x" % byte for byte in data)
    plain = (rb"\\*" if character in '"\\/' else b"") + re.escape(data)
    return b"(?:%b|(?i:%b|%b))" % (plain, escaped, percent)


def _base64_letter(letter: str) -> bytes:
    """Build the pattern of one base64 letter, in the ordinary or the URL-safe alphabet."""
    twin = {"+": b"|-", "/": b"|_"}.get(letter, b"")
    return b"(?:%b%b)" % (_character(letter), twin)
