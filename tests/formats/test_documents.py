"""Documents as words."""

from __future__ import annotations

import pytest

from tests.formats.strategies import PDF
from triptych.formats.documents import words_of
from triptych.formats.verbatim import Inexpressible
from triptych.parts import Document


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (Document(text="facts"), "facts"),
        (Document(text=""), ""),
        (Document("data:text/plain;base64,ZmFjdHM="), "facts"),
        (Document("data:text/plain,two%20facts"), "two facts"),
        (Document(b"a,\xff", media_type="text/csv"), "a,\ufffd"),
    ],
    ids=["text", "empty", "base64", "percent", "no UTF-8"],
)
def test_a_document_of_text_is_its_words(document: Document, words: str) -> None:
    assert words_of(document) == words


@pytest.mark.parametrize(
    "document",
    [Document(PDF), Document("https://h.example/a.txt"), Document(file_id="f")],
    ids=["no text", "behind a URL", "behind an id"],
)
def test_a_document_whose_words_are_not_here_has_no_form(document: Document) -> None:
    with pytest.raises(Inexpressible, match="this API takes documents as text only"):
        words_of(document)
