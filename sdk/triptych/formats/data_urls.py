"""URLs of pictures, films and papers in the form that most APIs take: a web address, or the bytes as a data URL."""

from __future__ import annotations

from triptych.formats.verbatim import Inexpressible
from triptych.media_type import split_data_url
from triptych.parts import Media


def labelled_url(part: Media) -> str:
    """Return where the content is; a data URL is labelled with what its bytes show, a wrong label is refused.

    Raises:
        Inexpressible: the part is the id of a file.
    """
    if part.source is None:
        raise Inexpressible("a file id has no form here: give a URL or bytes")
    split = split_data_url(part.source)
    if split is None or part.mime_type in (None, split[0]):
        return part.source
    return f"data:{part.mime_type};base64,{part.base64}"
