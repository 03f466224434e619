"""Tests of JSON lines: a store goes out and comes back as it was, and a file that is wrong changes nothing."""

from __future__ import annotations

import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.formats.strategies import conversations
from triptych import CompressionFiller, ContentItem, Message, ToolCall, ToolResult, Usage
from triptych.store import Store, StoreConflict, StoreError
from triptych.threads.thread import Thread
from triptych.threads.turn import Turn

HELLO = Message("user", "Hello \ud800 wörld")
CALL = ToolCall("call_1", "look", {"big": 10**40})
RESULT = ToolResult("call_1", "look", content=["found"])
FILLER = (CompressionFiller("assistant"),)
LINES = (
    '{"record":"store","version":1}',
    '{"record":"item","thread_id":"a","turn":0,"position":0,"role":"user",'
    '"item":{"content_type":"message","role":"user","content":"Hello"}}',
    '{"record":"item","thread_id":"a","turn":1,"position":0,"role":"assistant",'
    '"item":{"content_type":"message","role":"assistant","content":"Hi"}}',
    '{"record":"variant","thread_id":"a","turn":1,"tier":"deleted","items":[{"content_type":"compression_filler"}]}',
    '{"record":"usage","response_id":"r1","thread_id":"a",'
    '"usage":{"content_type":"usage","input_tokens":1,"output_tokens":2}}',
    '{"record":"end","lines":6}',
)


def exported(store: Store) -> str:
    """Return the JSON lines of a store."""
    file = io.StringIO()
    assert store.export_jsonl(file) == file.getvalue().count("\n")
    return file.getvalue()


def imported(path: Path, text: str) -> Store:
    """Return a new store with what JSON lines say."""
    store = Store(path)
    assert store.import_jsonl(io.StringIO(text)) == text.count("\n")
    return store


def filled(path: Path) -> Store:
    """Return a store with something of all that it can hold."""
    store = Store(path)
    store.append("b", [HELLO])
    turn = Turn("assistant", (CALL, RESULT), {"message": FILLER, "deleted": FILLER})
    store.save("ä", Thread((Turn("user", (HELLO,)), turn)))
    store.append("b", [CALL, RESULT])
    store.save("ä", Thread((Turn("user", (HELLO,)), turn.with_variants({"deleted": FILLER}))))
    store.add_usage("r1", Usage(10, 5, raw={"prompt": 10}), thread_id="b")
    store.add_usage("r2", Usage(1, 1))
    return store


def test_the_lines_of_a_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    turns = (
        Turn("user", (Message("user", "Hello"),)),
        Turn("assistant", (Message("assistant", "Hi"),), {"deleted": FILLER}),
    )
    store.save("a", Thread(turns))
    store.add_usage("r1", Usage(1, 2), thread_id="a")
    assert exported(store).splitlines() == list(LINES)


def test_a_store_comes_back_as_it_was(tmp_path: Path) -> None:
    store = filled(tmp_path / "a.sqlite")
    copy = imported(tmp_path / "b.sqlite", exported(store))
    assert exported(copy) == exported(store)
    assert copy.thread_ids() == store.thread_ids() == ["b", "ä"]
    assert [copy.thread(name) for name in ("b", "ä")] == [store.thread(name) for name in ("b", "ä")]
    assert copy.total_usage("b") == Usage(10, 5)
    assert copy.check() == []


@settings(max_examples=40, deadline=None)
@given(conversations("openai_responses") | conversations("gemini_generate"))
def test_every_kind_of_item_comes_back(items: list[ContentItem]) -> None:
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "a.sqlite") as store:
        store.save("a", Thread.of(items))
        with imported(Path(folder) / "b.sqlite", exported(store)) as copy:
            assert exported(copy) == exported(store)
            assert copy.thread("a") == store.thread("a")


def test_what_a_newer_version_wrote_in_an_item_is_kept(tmp_path: Path) -> None:
    items = (
        {"content_type": "message", "role": "user", "content": "Hello", "mood": {"good": True}},
        {"content_type": "hologram", "shape": [1, 2]},
    )
    lines: list[dict[str, object]] = [
        {"record": "store", "version": 1},
        *(
            {"record": "item", "thread_id": "a", "turn": 0, "position": position, "role": "user", "item": item}
            for position, item in enumerate(items)
        ),
        {"record": "end", "lines": 4},
    ]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    store = imported(tmp_path / "a.sqlite", text)
    store.save("a", store.thread("a"))  # the very same: nothing is added
    assert exported(store) == text


def test_a_path_is_written_in_one_step_and_read(tmp_path: Path) -> None:
    store = filled(tmp_path / "a.sqlite")
    file = tmp_path / "all.jsonl"
    file.write_text("what was there before")
    assert store.export_jsonl(file) == len(file.read_text("utf-8").splitlines())
    copy = Store(tmp_path / "b.sqlite")
    assert copy.import_jsonl(str(file)) == len(file.read_text("utf-8").splitlines())
    assert exported(copy) == file.read_text("utf-8")
    assert sorted(tmp_path.glob(".*")) == []


def test_what_is_added_during_an_export_is_not_in_it(tmp_path: Path) -> None:
    store = filled(tmp_path / "a.sqlite")
    before = exported(store)

    class Adding(io.StringIO):
        def write(self, text: str) -> int:
            store.append("c", [HELLO])
            store.add_usage(f"late {store.turn_count('c')}", Usage(1, 1))
            return super().write(text)

    file = Adding()
    store.export_jsonl(file)
    assert file.getvalue() == before


def test_more_rows_than_are_read_at_a_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")
    store.save("a", Thread([Turn("user", (Message("user", str(number)),)) for number in range(1203)]))
    assert exported(imported(tmp_path / "b.sqlite", exported(store))) == exported(store)


def test_a_thread_that_is_there_already_stops_the_import(tmp_path: Path) -> None:
    text = exported(filled(tmp_path / "a.sqlite"))
    store = Store(tmp_path / "b.sqlite")
    store.append("ä", [HELLO])
    with pytest.raises(StoreConflict, match="thread 'ä' is there already; expected another name; nothing was imported"):
        store.import_jsonl(io.StringIO(text))
    assert (store.thread_ids(), store.usage("r1")) == (["ä"], None)


def changed(number: int, **fields: object) -> str:
    """Return the lines with fields of one of them changed."""
    lines = [json.loads(line) for line in LINES]
    lines[number - 1].update(fields)
    return "\n".join(json.dumps(line) for line in lines)


NO_MESSAGE = {"content_type": "message", "role": 7, "content": "x"}
TOMBSTONE = {"content_type": "deleted"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 0: expected more lines and an end record: the file was cut off"),
        ("\n".join(LINES[:-1]), "line 5: expected more lines and an end record: the file was cut off"),
        ("\n".join([*LINES[:-2], LINES[-1]]), "line 5: lines: expected 5, as many as there are, got 6"),
        ("\n".join(LINES) + "\n{}", "line 7: expected no line after the end record"),
        ("\n".join(LINES)[:-30], "line 5: "),
        ("Dear diary", "line 1: "),
        ("[]", "line 1: expected a JSON object"),
        ("\n".join(LINES[1:]), "line 1: expected the first line of an export of version 1"),
        (changed(1, version=2), "line 1: expected the first line of an export of version 1"),
        (changed(2, record="thing"), "line 2: record: expected item, variant, usage or end, got 'thing'"),
        (changed(2, thread_id=3), "line 2: thread_id: expected str, got 3"),
        (changed(2, thread_id=""), "line 2: thread_id: expected at least one character"),
        (changed(2, turn="0"), "line 2: turn: expected int, got '0'"),
        (changed(2, turn=True), "line 2: turn: expected int, got True"),
        (changed(2, role="boss"), "line 2: Turn.role: expected one of 'user', 'assistant', 'system', got 'boss'"),
        (changed(2, item=NO_MESSAGE), "line 2: .*role"),
        (changed(2, item=TOMBSTONE), r"line 2: Turn.original\[0\]: expected what was said, got a tombstone"),
        (changed(2, item=[]), r"line 2: \[0\]: expected an item of a conversation, got \[\]"),
        (
            changed(3, turn=2),
            "line 3: expected the item after turn 0, position 0 of user, got turn 2, position 0 of assistant",
        ),
        (
            changed(3, position=1),
            "line 3: expected the item after turn 0, position 0 of user, got turn 1, position 1 of assistant",
        ),
        (changed(4, turn=7), "line 4: turn: expected one of the thread's turns, got 7"),
        (changed(4, thread_id="z"), "line 4: turn: expected one of the thread's turns, got 1"),
        (changed(4, tier="short"), "line 4: Turn.variants: expected tiers of 'message', 'deleted', got 'short'"),
        (changed(4, items=[]), "line 4: .*expected a list of one or more items"),
        (changed(5, usage=None), r"line 5: \$: expected an object with a content_type, got None"),
        (changed(5, usage=[]), r"line 5: usage: expected a Usage, got \[\]"),
        (changed(5, response_id=None), "line 5: response_id: expected str, got None"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_imported(tmp_path: Path, text: str, message: str) -> None:
    store = Store(tmp_path / "a.sqlite")
    with pytest.raises(StoreError, match=rf"a\.sqlite: the given file, {message}.*; nothing was imported"):
        store.import_jsonl(io.StringIO(text))
    assert (store.thread_ids(), store.total_usage()) == ([], Usage())


def test_a_file_that_uses_the_store_it_goes_to_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path / "a.sqlite")

    class Using(io.StringIO):
        def __next__(self) -> str:  # type: ignore[override]  # its stubs have a base of bytes beside that of str
            store.append("b", [HELLO])
            return super().__next__()

    with pytest.raises(StoreError, match="it is in use: expected a file to import that does not use the store"):
        store.import_jsonl(Using("\n".join(LINES)))
    assert store.thread_ids() == []
    assert store.append("b", [HELLO]) == 0


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Store(tmp_path / "a.sqlite").import_jsonl(tmp_path / "nowhere.jsonl")


def test_a_place_that_cannot_be_written_leaves_no_draft(tmp_path: Path) -> None:
    store = filled(tmp_path / "a.sqlite")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        store.export_jsonl(tmp_path / "folder")
    assert sorted(tmp_path.glob(".*")) == []
