"""Pictures, papers, films and sounds for Bedrock Converse."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.formats.bedrock_converse.recorded import BEDROCK
from tests.formats.bodies import issuer, messages, notices
from triptych import convert
from triptych.content import Message
from triptych.formats import Built
from triptych.formats.bedrock_converse.blocks import build_part, read_part
from triptych.formats.bedrock_converse.media import safe_name
from triptych.parts import Audio, Document, Image, Opaque, Part, Text, Video

OWN = issuer(BEDROCK)
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
S3 = {"s3Location": {"uri": "s3://bucket/key"}}

FORMS: list[tuple[Part, dict[str, Any]]] = [
    (Text("a"), {"text": "a"}),
    (Image("data:image/webp;base64,AAAA"), {"image": {"format": "webp", "source": {"bytes": "AAAA"}}}),
    (Image("s3://bucket/key", media_type="image/gif"), {"image": {"format": "gif", "source": S3}}),
    (Video("data:video/3gpp;base64,AAAA"), {"video": {"format": "three_gp", "source": {"bytes": "AAAA"}}}),
    (Video("s3://bucket/key", media_type="video/quicktime"), {"video": {"format": "mov", "source": S3}}),
    (Audio("data:audio/mpeg;base64,AAAA"), {"audio": {"format": "mp3", "source": {"bytes": "AAAA"}}}),
    (
        Document(f"data:{DOCX};base64,AAAA", name="a"),
        {"document": {"format": "docx", "name": "a", "source": {"bytes": "AAAA"}}},
    ),
    (Document(text="w", name="a b"), {"document": {"format": "txt", "name": "a b", "source": {"text": "w"}}}),
]


@pytest.mark.parametrize(("part", "block"), FORMS)
def test_a_part_and_its_block_say_the_same(part: Part, block: dict[str, Any]) -> None:
    assert build_part(part, OWN) == block
    assert read_part(block, OWN) == part


@pytest.mark.parametrize(
    ("part", "block"),
    [
        (
            Image("s3://bucket/a.JPG"),
            {"image": {"format": "jpeg", "source": {"s3Location": {"uri": "s3://bucket/a.JPG"}}}},
        ),
        (
            Document("data:text/x-log;base64,AAAA"),
            {"document": {"format": "txt", "name": "Document", "source": {"bytes": "AAAA"}}},
        ),
    ],
)
def test_a_type_that_is_not_told_is_guessed(part: Part, block: dict[str, Any]) -> None:
    assert build_part(part, OWN) == block


@pytest.mark.parametrize(
    "part",
    [
        Image("https://h.example/a.png"),
        Image("gs://b/a.png"),
        Image(file_id="f"),
        Image("data:image/tiff;base64,AAAA"),
        Image("s3://bucket/key"),
        Image("data:image/png;base64,"),
        Document("https://h.example/a.pdf"),
        Document(text=" "),
        Document("data:application/zip;base64,AAAA"),
        Video("https://h.example/a.mp4"),
        Audio("data:audio/midi;base64,AAAA"),
    ],
)
def test_what_the_api_does_not_take_is_left_out_with_a_notice(part: Part) -> None:
    [notice] = notices(BEDROCK, [Message("user", ["see", part])])
    assert (notice.path, notice.what) == ("contents[0].content[1]", f"{type(part).__name__} left out")
    assert messages(BEDROCK, [Message("user", ["see", part])]) == [{"role": "user", "content": [{"text": "see"}]}]


@pytest.mark.parametrize(
    "block",
    [
        {"cachePoint": {"type": "default"}},
        {"guardContent": {"image": {"format": "png", "source": {"bytes": "AAAA"}}}},
        {"guardContent": {"text": {"qualifiers": ["query"]}}},
        {"searchResult": {"source": "s", "title": "t", "content": [{"text": "w"}]}},
        {"video": {"format": "video/mp4", "source": {"bytes": "AAAA"}}},
        {"image": {"format": "png"}},
        {"image": {"format": "png", "source": {"bytes": "AAAA"}}, "novel": 1},
        {"document": {"format": "pdf", "name": "a", "source": {"content": [{"text": "w"}]}}},
        {"document": None},
        {},
    ],
)
def test_a_block_of_a_kind_or_form_of_its_own_is_kept_as_it_is(block: dict[str, Any]) -> None:
    part = read_part(block, OWN)
    assert (part, build_part(part, OWN)) == (Opaque(block, issuer=OWN), block)


def test_fields_beside_those_of_a_part_are_kept_for_their_issuer() -> None:
    paper = {"format": "pdf", "name": "a_b", "source": S3, "context": "c", "citations": {"enabled": True}}
    part = read_part({"document": paper}, OWN)
    kept = {"name": "a_b", "context": "c", "citations": {"enabled": True}}
    expected = Document("s3://bucket/key", media_type="application/pdf", name="a_b", provider_data=kept, issuer=OWN)
    assert (part, build_part(part, OWN)) == (expected, {"document": paper})
    assert build_part(part, issuer(BEDROCK, "other")) == {"document": {"format": "pdf", "name": "a-b", "source": S3}}


def test_cited_words_are_words_everywhere_and_citations_where_they_came_from() -> None:
    block = {"citationsContent": {"content": [{"text": "w"}, {"text": "x"}], "citations": [{"title": "t"}]}}
    part = read_part(block, OWN)
    assert part == Text("wx", provider_data=block, issuer=OWN)
    assert (build_part(part, OWN), build_part(part, issuer(BEDROCK, "other"))) == (block, {"text": "wx"})


@pytest.mark.parametrize("words", ["w", " ", ""])
def test_guarded_words_are_words_everywhere_and_guarded_where_they_came_from(words: str) -> None:
    block = {"guardContent": {"text": {"text": words, "qualifiers": ["query"]}}}
    part = read_part(block, OWN)
    assert part == Text(words, provider_data=block, issuer=OWN)
    assert (build_part(part, OWN), build_part(part, issuer(BEDROCK, "other"))) == (block, {"text": words})


def test_guarded_words_of_a_request_go_back_as_they_came_and_elsewhere_as_words() -> None:
    guarded = [{"guardContent": {"text": {"text": words, "qualifiers": ["query"]}}} for words in ("rule", "ask")]
    given = {"system": [guarded[0]], "messages": [{"role": "user", "content": [guarded[1], {"text": "go"}]}]}
    assert convert(copy.deepcopy(given), source=BEDROCK, target=BEDROCK) == Built(given)
    assert convert(given, source=BEDROCK, target="openai_chat", model="m").body["messages"] == [
        {"role": "system", "content": [{"type": "text", "text": "rule"}]},
        {"role": "user", "content": [{"type": "text", "text": "ask"}, {"type": "text", "text": "go"}]},
    ]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        (None, "Document"),
        ("", "Document"),
        (" a  b ", "a b"),
        ("Report (final) [2]-x", "Report (final) [2]-x"),
        ("b_c/d.e", "b-c-d-e"),
        ("日本", "-"),
        ("a" * 300, "a" * 200),
    ],
)
def test_a_documents_name_has_letters_that_the_api_takes(name: str | None, safe: str) -> None:
    assert safe_name(name) == safe
    assert safe_name(safe) == safe
