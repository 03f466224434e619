"""Eight processes that add to one store until they are killed; each acknowledged piece is told in a line.

Run as a program with the path of the store. A line is JSON: thread, number of the turn, text of its last item; or the
id of a response for a usage.
"""

import json
import os
import signal
import sys
from itertools import count

from triptych import Message, ToolCall, ToolResult, Usage
from triptych.store import Store
from triptych.threads.thread import Thread

WRITERS = 8
LONGEST = 60  # seconds: a writer that nobody kills ends by itself


def tell(*words: object) -> None:
    """Write one line in one piece: what is shorter than a pipe's buffer is never torn."""
    os.write(1, json.dumps(words).encode() + b"\n")


def write(store: Store, writer: int) -> None:
    """Add for ever, to a thread of one's own and to one that all share."""
    own = f"own-{writer}-{os.getpid()}"
    for number in count():
        text = f"{own}, {number}"
        tell("shared", store.append("shared", [Message("user", text)]), text)
        call = ToolCall(text, "look", {"padding": "x" * 200 * (number % 7)})
        turn = store.append(own, [call, ToolResult(text, "look", content=[text])])
        tell(own, turn, text)
        tell(own, store.extend(own, [Message("assistant", text)]), text)
        store.save(own, Thread.of([Message("user", text)]), start=turn + 1)
        tell(own, turn + 1, text)
        store.add_usage(text, Usage(1, 1), thread_id=own)
        tell(text)


def main() -> None:
    """Fork the writers and wait for their end."""
    path = sys.argv[1]
    children = []
    for writer in range(WRITERS):
        child = os.fork()
        if child == 0:
            signal.alarm(LONGEST)
            write(Store(path), writer)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
