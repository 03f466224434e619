"""Documents as words."""

from __future__ import annotations

import pytest

from tests.formats.bodies import body, notices
from tests.formats.plain import texts_in_body
from tests.formats.strategies import PDF
from triptych import formats
from triptych.content import Message
from triptych.formats.documents import is_text, words_of
from triptych.formats.verbatim import Inexpressible
from triptych.parts import Document, Text


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (Document(text="facts"), "facts"),
        (Document(text=""), ""),
        (Document("data:text/plain;base64,ZmFjdHM="), "facts"),
        (Document("data:text/plain,two%20facts"), "two facts"),
        (Document(b"a,\xff", media_type="text/csv"), "a,\ufffd"),
        (Document("data:application/json;base64,e30"), "{}"),
    ],
    ids=["text", "empty", "base64", "percent", "no UTF-8", "JSON, unpadded"],
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


@pytest.mark.parametrize(
    ("mime", "text"),
    [
        ("text/plain", True),
        ("TEXT/HTML; charset=utf-8", True),
        ("application/json", True),
        ("application/x-yaml", True),
        ("application/vnd.api+json", True),
        ("image/svg+xml", True),
        ("application/pdf", False),
        ("application/jsonish", False),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", False),
        ("text/", False),
        ("", False),
        (None, False),
    ],
)
def test_text_is_told_by_its_mime_type(mime: str | None, text: bool) -> None:
    assert is_text(mime) is text


# Where a text has no name it stands above the words; Cohere's documents have one in tool results alone.
NAMELESS = ("openai_chat", "openai_responses", "mistral_chat", "ollama_chat", "cohere_chat")


@pytest.mark.parametrize("name", NAMELESS)
def test_the_name_of_a_document_stands_above_its_words_where_a_text_has_none(name: str) -> None:
    history = [Message("user", ["Read.", Document(text="facts", name="a.txt"), Document(text="more")])]
    texts = ["Read.", "Document a.txt:\n\nfacts", "more"]
    said = ["\n".join(texts)] if name == "ollama_chat" else texts  # a message of Ollama's holds one text
    assert texts_in_body(body(name, history)) == said
    assert notices(name, history) == []


@pytest.mark.parametrize("name", [name for name in NAMELESS if name != "ollama_chat"])
def test_a_document_of_words_is_read_back_as_words(name: str) -> None:
    sent = body(name, [Message("user", [Document(text="facts", name="a.txt")])])
    words = "Document a.txt:\n\nfacts"
    assert formats.load(name, "here").read_request(sent).request.contents == [Message("user", [Text(words)])]


@pytest.mark.parametrize("name", ["anthropic_messages", "cohere_chat", "ollama_chat"])
def test_a_text_whose_base64_is_damaged_is_told_where_its_words_are_wanted(name: str) -> None:
    damaged = Document("data:text/plain;base64,False")
    with pytest.raises(ValueError, match="Invalid base64"):
        _ = damaged.data
    (notice,) = notices(name, [Message("user", [Text("q"), damaged])])
    assert "its base64 is damaged: Invalid base64" in notice.why
