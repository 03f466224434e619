"""What has been recorded and is to be written: exchanges in the order of their requests, scrubbed, with a header."""

from __future__ import annotations

import atexit
import contextlib
import datetime
import itertools
import os
import threading
from importlib import metadata
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from triptych import __version__
from triptych.replay.cassette_file import Recording, write_recording
from triptych.replay.errors import CassetteError
from triptych.replay.matching import json_value
from triptych.replay.scrub import Scrubber

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from triptych.replay.exchange import Exchange

__all__ = ["Draft"]

# The file is written whenever this share of it is new. So a killed process loses little, and writing n exchanges
# costs a fixed multiple of their size instead of its square.
_UNSAVED_SHARE = 8


class Draft:
    """The coming content of a cassette file. Any number of threads of one process may add to it.

    The file is brought up to date as exchanges come in, always as a whole; `close()` writes the rest, and so does
    the end of the interpreter. Two drafts of one file, in one process or two, would overwrite each other.

    Args:
        path: The file.
        kept: What the file holds already and shall go on to hold.
        header: Lines for the top of the file by name, such as server and model. A line that the file has already
            stays as it is.
    """

    def __init__(self, path: Path, kept: Recording, header: Mapping[str, str]) -> None:
        self._path = path
        self._kept = kept
        self._header = dict(header)
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._places = itertools.count(len(kept.exchanges))
        self._exchanges = dict(enumerate(kept.exchanges))
        self._scrubber = Scrubber()
        self._texts: dict[int, str] = {}
        self._unsaved = 0
        self._process = 0

    def place(self) -> int:
        """Return the place of the next request in the file: answers may come back in another order."""
        return next(self._places)

    def add(self, place: int, exchange: Exchange, secrets: Sequence[str]) -> None:
        """Add an exchange.

        Args:
            place: Its place, taken before its request was sent.
            exchange: What was sent and received, scrubbed of what is secret in itself, such as a signature.
            secrets: Values that from now on are kept out of everything that is written.
        """
        with self._lock:
            if self._process != os.getpid():
                self._process = os.getpid()
                atexit.register(self._save_at_exit)
            self._exchanges[place] = exchange
            self._unsaved += 1
            merged = self._scrubber | Scrubber.of(secrets)
            if merged is not self._scrubber:
                self._scrubber = merged
                self._texts.clear()
            due = self._unsaved * _UNSAVED_SHARE >= len(self._exchanges)
        if due:
            # The caller is in the middle of a response. A file that cannot be written is reported by close().
            with contextlib.suppress(CassetteError):
                self.save()

    @property
    def recorded(self) -> tuple[Exchange, ...]:
        """The exchanges that were added, in the order of their requests."""
        with self._lock:
            return tuple(exchange for _, exchange in sorted(self._exchanges.items()))[len(self._kept.exchanges) :]

    def save(self) -> None:
        """Write the file if there is anything new.

        Raises:
            CassetteError: It cannot be written.
        """
        with self._saving:
            with self._lock:
                if not self._unsaved:
                    return
                exchanges = sorted(self._exchanges.items())
                scrubber, unsaved = self._scrubber, self._unsaved
            texts = [self._text(place, exchange, scrubber) for place, exchange in exchanges]
            first = exchanges[len(self._kept.exchanges)][1]
            write_recording(self._path, [scrubber.text(line) for line in self._header_lines(first)], texts)
            with self._lock:
                self._unsaved -= unsaved

    def close(self) -> None:
        """Write what is not written yet.

        Raises:
            CassetteError: It cannot be written.
        """
        with self._lock:
            self._process = 0
            atexit.unregister(self._save_at_exit)
        self.save()

    def _save_at_exit(self) -> None:
        # A forked child holds a copy of what its parent recorded; only a process that recorded something itself saves.
        if os.getpid() == self._process:
            self.save()

    def _text(self, place: int, exchange: Exchange, scrubber: Scrubber) -> str:
        from triptych.replay.vcr_text import exchange_text

        with self._lock:
            text = self._texts.get(place) if scrubber is self._scrubber else None
        if text is None:
            # Scrubbed here again: the kept exchanges may come from a tool that writes every header.
            text = exchange_text(scrubber.exchange(exchange))
            with self._lock:
                if scrubber is self._scrubber:
                    self._texts[place] = text
        return text

    def _header_lines(self, first: Exchange) -> Iterator[str]:
        yield from self._kept.header
        present = {line.partition(":")[0] for line in self._kept.header}
        for name, value in (_known(first) | self._header).items():
            if name not in present and value:
                yield f"{name}: {' '.join(value.split())}"


def _known(first: Exchange) -> dict[str, str]:
    """Say what can be said of a recording without being told, from its first exchange."""
    return {
        "server": urlsplit(first.url).netloc,
        "model": _model(first.request_body),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "recorded by": f"triptych {__version__}, vcrpy {metadata.version('vcrpy')}",
    }


def _model(body: bytes) -> str:
    try:
        request = json_value(body)
    except ValueError:
        return ""
    model = request.get("model") if isinstance(request, dict) else None
    return model if isinstance(model, str) else ""
