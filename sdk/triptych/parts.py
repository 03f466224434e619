"""The parts of a message: text, images, audio, video, documents, and what only one provider knows."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Self, TypeAlias
from urllib.parse import unquote_to_bytes

from attrs import Converter, field, fields, frozen

from triptych.checks import is_a
from triptych.media_type import checked_source, data_url_type, settled, split_data_url


@frozen
class Issuer:
    """Who issued a provider's own data, and so the only one to get it back.

    Args:
        format: Name of the wire format, such as "anthropic_messages".
        provider: Name of the provider, such as "anthropic"; None where a body was read without knowing its host.
    """

    format: str = field(validator=is_a(str))
    provider: str | None = field(default=None, validator=is_a(str, optional=True))


def _last_for_provided(shown: str) -> bool:
    return shown.startswith(("provider_data=", "issuer="))


@frozen(kw_only=True, repr=False)
class Provided:
    """What every item and part may carry beside its own meaning.

    Args:
        provider_data: Fields of the wire that have no typed home here, verbatim; sent only to `issuer`.
        issuer: Who sent them.
    """

    provider_data: Mapping[str, Any] | None = field(default=None, validator=is_a(dict, optional=True))
    issuer: Issuer | None = field(default=None, validator=is_a(Issuer, optional=True))

    def __repr__(self) -> str:
        """Return the constructor call with what differs from the defaults."""
        given = [
            f"{attribute.name}={value!r}"
            for attribute in fields(type(self))
            if (value := getattr(self, attribute.name)) is not None and value != attribute.default and value != []
        ]
        return f"{type(self).__name__}({', '.join(sorted(given, key=_last_for_provided))})"


@frozen(repr=False)
class Text(Provided):
    """Words.

    Args:
        text: The words.
    """

    text: str = field(validator=is_a(str))


@frozen(repr=False)
class Opaque(Provided):
    """A provider's block or message that has no type here, kept verbatim and replayed only to the API it came from.

    Args:
        data: The block as it was received.
    """

    data: Mapping[str, Any] = field(validator=is_a(dict))


def _checked_source(value: Any, owner: Any) -> str | None:
    return None if value is None else checked_source(value, owner.media_type, type(owner).__name__)


@frozen(repr=False)
class Media(Provided):
    """What images, audio, video and documents have in common: where the bytes are and what they are.

    Args:
        source: An http, https, gs or s3 URL (passed to the provider, never fetched here), a data URL, or the bytes
            themselves, which are kept as a data URL. `from_path` reads a file.
        media_type: The MIME type, where it is known; needed for bytes whose type their first bytes do not show.
        file_id: The provider's id of an uploaded file, instead of a source.
        name: The file's name.

    Raises:
        ValueError: the source is no such URL, or the type of the bytes is neither given nor recognisable.
    """

    media_type: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))
    source: str | None = field(default=None, converter=Converter(_checked_source, takes_self=True))  # type: ignore[misc]  # the attrs plugin of mypy cannot read a converter that takes self
    file_id: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))
    name: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))

    def __attrs_post_init__(self) -> None:
        if self.source is None and self.file_id is None and getattr(self, "text", None) is None:
            raise ValueError(f"{type(self).__name__}: expected a source (a URL or bytes) or a file_id")

    @classmethod
    def from_path(cls, path: str | PathLike[str], *, media_type: str | None = None, **rest: Any) -> Self:
        """Return the file at `path` as a part.

        Args:
            path: The file; its type is read from its first bytes, then guessed from its name.
            media_type: The MIME type, when neither tells it.
            rest: Other fields of the part.
        """
        import mimetypes  # only here: reads system tables when first used

        data = Path(path).read_bytes()
        known = settled(data, media_type or mimetypes.guess_type(Path(path).name)[0])
        return cls(data, media_type=known, **{"name": Path(path).name, **rest})

    @property
    def mime_type(self) -> str | None:
        """The MIME type: what the bytes show, else what was given, else the data URL's label; None if unknown."""
        shown = data_url_type(self.source) if self.source is not None else None
        return shown or self.media_type

    @property
    def base64(self) -> str | None:
        """The content as base64 text, or None where it is behind a URL or a file id."""
        parts = split_data_url(self.source) if self.source is not None else None
        if parts is None:
            return None
        _, payload, is_base64 = parts
        return payload if is_base64 else base64.b64encode(unquote_to_bytes(payload)).decode()

    @property
    def data(self) -> bytes | None:
        """The content in bytes, or None where it is behind a URL or a file id.

        Raises:
            ValueError: its base64 is damaged.
        """
        text = self.base64
        # Padding and the two spellings of base64's last letters are forgiven.
        return None if text is None else base64.b64decode(text + "==", b"-_")


@frozen(repr=False)
class Image(Media):
    """A picture.

    Args:
        detail: How closely to look at it, where the provider has such a setting: "low", "high", "auto".
    """

    detail: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))


@frozen(repr=False)
class Audio(Media):
    """A sound.

    Args:
        transcript: What is said in it, where that is known.
    """

    transcript: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))


@frozen(repr=False)
class Video(Media):
    """A film."""


@frozen(repr=False)
class Document(Media):
    """A paper: a PDF, a text, a table.

    Args:
        text: The words of a plain-text document, instead of a source.
    """

    text: str | None = field(default=None, kw_only=True, validator=is_a(str, optional=True))


Part: TypeAlias = Text | Image | Audio | Video | Document | Opaque
PART_TYPES = (Text, Image, Audio, Video, Document, Opaque)
