"""Documents on the APIs that take their words alone."""

from __future__ import annotations

import base64

from triptych.formats.verbatim import Inexpressible
from triptych.parts import Document


def words_of(part: Document) -> str:
    """Return the words of a document: those that it was made of, or its bytes where they are text.

    Raises:
        Inexpressible: they are not here, or it is no text.
    """
    if part.text is not None:
        return part.text
    data = part.base64
    if data is not None and (part.mime_type or "").startswith("text/"):
        return base64.b64decode(data).decode("utf-8", "replace")
    raise Inexpressible("this API takes documents as text only")
