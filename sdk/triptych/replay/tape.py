"""A cassette in use: plays what it holds, records what its mode allows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from triptych.replay.answers import recorded_response
from triptych.replay.cassette_file import Recording, read_recording
from triptych.replay.draft import Draft
from triptych.replay.exchange import Exchange, Headers
from triptych.replay.playlist import Playlist, body_of
from triptych.replay.scrub import Scrubber

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    import requests

__all__ = ["RecordMode", "Tape"]

RecordMode = Literal["none", "once", "new", "all"]


class Tape:
    """One cassette between a client and the network. Any number of threads may share it.

    Each recorded exchange is played once, and equal requests get their answers in recorded order. What is recorded
    in this session is not played in it. The file is brought up to date while recording goes on; `close()` writes
    the rest. A tape that only plays can be pickled: the copy plays the file from the start.

    Args:
        path: The cassette file.
        record: What may go to the network. `none`: nothing. `once`: everything if the file does not exist yet,
            else nothing. `new`: what the file has no unplayed answer to. `all`: everything; the file then holds what
            was recorded now and nothing else.
        header: Comment lines for the top of a newly written file, by name: `{"server": "llama.cpp b1234"}`. Server
            address, model, date and versions are filled in where they are not given.

    Raises:
        CassetteError: The file cannot be read, or is missing where only playing is allowed.
        ValueError: No such mode.
        ModuleNotFoundError: vcrpy is not installed.
    """

    def __init__(
        self, path: str | os.PathLike[str], record: RecordMode = "none", *, header: Mapping[str, str] | None = None
    ) -> None:
        if record not in get_args(RecordMode):
            raise ValueError(f"record: {record!r} is not a mode; the modes are {', '.join(get_args(RecordMode))}")
        _require_vcrpy()
        self.path = Path(path)
        self.record = record
        exists = self.path.exists()
        recording = Recording(str(self.path))
        if record == "none" or (exists and record != "all"):
            recording = read_recording(self.path)
        self.offline = record == "none" or (record == "once" and exists)
        self._playlist = Playlist(str(self.path), [recording])
        self._draft = None if self.offline else Draft(self.path, recording, header or {})

    def send(
        self, request: requests.PreparedRequest, live: Callable[[], requests.Response], secrets: Sequence[str]
    ) -> requests.Response:
        """Answer a request from the cassette, or from the network while recording.

        Args:
            request: The request.
            live: Sends it; returns the response with its body unread.
            secrets: Values that are never written, besides the credentials that the request itself shows.

        Returns:
            A response with its body unread. A live one is recorded when it has been read to its end. A stream that
            its reader closes before is recorded as far as it was read; any other answer is then not recorded.

        Raises:
            ReplayMiss: The cassette has no answer, and recording is not allowed.
        """
        played = self._playlist.answer(request, secrets)
        if played is not None:
            return played
        if self._draft is None:
            raise self._playlist.miss(request, secrets)
        return self._record(self._draft, request, live, secrets)

    @property
    def played(self) -> tuple[Exchange, ...]:
        """The exchanges that were played, in recorded order."""
        return self._playlist.played

    @property
    def unused(self) -> tuple[Exchange, ...]:
        """The exchanges of the file that nobody asked for, in recorded order."""
        return self._playlist.unused

    @property
    def unread(self) -> tuple[Exchange, ...]:
        """The exchanges that were played, but whose answer nobody read to its end, in recorded order."""
        return self._playlist.unread

    def assert_all_played(self) -> None:
        """Check that every exchange of the file was asked for, and its answer read to the end: a test's last line.

        Raises:
            CassetteError: Some were not; it names them by their request lines.
        """
        self._playlist.assert_all_played()

    @property
    def recorded(self) -> tuple[Exchange, ...]:
        """The exchanges that were recorded in this session, in the order of their requests."""
        return self._draft.recorded if self._draft else ()

    def close(self) -> None:
        """Write what was recorded and is not in the file yet. A closed tape can still be used.

        Raises:
            CassetteError: The file cannot be written.
        """
        if self._draft:
            self._draft.close()

    def __repr__(self) -> str:
        return f"Tape({str(self.path)!r}, record={self.record!r})"

    def __reduce__(self) -> tuple[type[Tape], tuple[str]]:
        if not self.offline:
            raise TypeError(f"{self!r} records, and two processes must not record into one file: it cannot be pickled")
        return Tape, (str(self.path),)

    @staticmethod
    def _record(
        draft: Draft, request: requests.PreparedRequest, live: Callable[[], requests.Response], secrets: Sequence[str]
    ) -> requests.Response:
        # Taken before sending: the request may not be the same object state once it has been sent.
        method, url, body = request.method or "GET", request.url or "", body_of(request)
        sent = tuple((name, _text(value)) for name, value in request.headers.items())
        scrubber = Scrubber.for_request(request, secrets)
        place = draft.place()
        response = live()

        def keep(received: Headers, data: bytes) -> None:
            exchange = Exchange(method, url, sent, body, response.status_code, response.reason or "", received, data)
            draft.add(place, scrubber.exchange(exchange), secrets)

        return recorded_response(response, request, keep)


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _require_vcrpy() -> None:
    """Fail when the tape is made, not when the first exchange is to be written."""
    from triptych.replay import vcr_text  # noqa: F401  # imported for its check
