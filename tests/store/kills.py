"""Killing writers while they write, and looking at what is left."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from triptych import Message, ToolResult
from triptych.content import ContentItem
from triptych.store import Store
from triptych.threads.turn import Turn

WRITERS = Path(__file__).with_name("writers.py")


def killed_writers(path: Path, acknowledged: int) -> list[list[object]]:
    """Start the writers, kill them all after a number of lines, and return every line that they wrote.

    Args:
        path: The store.
        acknowledged: How many lines to wait for.
    """
    # A group of their own, so that one signal ends the writers and nobody else.
    process = subprocess.Popen([sys.executable, str(WRITERS), str(path)], stdout=subprocess.PIPE, process_group=0)
    with process:
        assert process.stdout is not None
        lines = [line for _, line in zip(range(acknowledged), process.stdout, strict=False)]
        os.killpg(process.pid, signal.SIGKILL)
        lines += process.stdout.readlines()  # to the end, which comes when the last writer is gone
    return [json.loads(line) for line in lines]


def lost(path: Path, told: list[list[object]]) -> list[list[object]]:
    """Return the lines whose piece is not in the store."""
    with Store(path) as store:
        threads = {thread_id: store.thread(thread_id).turns for thread_id in store.thread_ids()}
        return [line for line in told if not _is_there(store, threads, line)]


def _is_there(store: Store, threads: dict[str, tuple[Turn, ...]], line: list[object]) -> bool:
    if len(line) == 1:
        return store.usage(str(line[0])) is not None
    thread_id, turn, text = line
    assert isinstance(turn, int)
    turns = threads.get(str(thread_id), ())
    return turn < len(turns) and text in [_words(item) for item in turns[turn].original]


def _words(item: ContentItem) -> str | None:
    return item.text if isinstance(item, Message | ToolResult) else None
