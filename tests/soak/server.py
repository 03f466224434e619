"""The server of the soak: it answers what it is asked, or fails as its plan says, and counts the requests.

It is a process of its own: `python -m tests.soak.server SEED FAULTS` prints its port, and serves until its standard
input closes. A GET is answered with how many requests have asked each question, by its name.
"""

import asyncio
import contextlib
import json
import sys
from collections import Counter

from tests.soak import wire
from tests.soak.fates import Plan
from tests.soak.plays import PLAYS, Turn
from tests.soak.questions import name_in

_LIFETIME = 1800.0  # seconds after which it ends by itself, should nobody have stopped it


class Server:
    """Answers by a plan.

    Args:
        plan: What becomes of each request.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._asked: Counter[str] = Counter()

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection until either side ends it."""
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):  # the peer has gone
                while not writer.is_closing():
                    await self._reply(reader, writer)
        finally:
            writer.close()

    async def _reply(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        _, found, length = head.partition(b"\r\ncontent-length:")
        body = await reader.readexactly(int(length.split(b"\r\n")[0])) if found else b""
        if not body:
            writer.write(wire.whole(json.dumps(self._asked).encode()))
            return
        asked = json.loads(body)
        name = name_in(asked["messages"][-1]["content"])
        self._asked[name] += 1
        fate = self._plan.fate(name, self._asked[name])
        await PLAYS[fate.name](Turn(reader, writer, name, bool(asked.get("stream"))))
        await writer.drain()


async def serve(plan: Plan) -> None:
    """Serve on a free port of the loopback interface, print the port, and go on until standard input closes."""
    loop = asyncio.get_running_loop()
    server = await asyncio.start_server(Server(plan).converse, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    over = asyncio.Event()
    loop.add_reader(sys.stdin, over.set)
    loop.call_later(_LIFETIME, over.set)
    await over.wait()


if __name__ == "__main__":
    asyncio.run(serve(Plan(int(sys.argv[1]), float(sys.argv[2]))))
