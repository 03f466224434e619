"""All cassettes below a directory, played as one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from triptych.replay.cassette_file import read_recording
from triptych.replay.errors import CassetteError
from triptych.replay.playlist import Playlist

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    import requests

    from triptych.replay.exchange import Exchange

__all__ = ["Library", "directory"]


class Library:
    """Plays from every `*.yaml` file below a directory, and never from the network; threads may share it.

    The files are read when the first request comes, in the order of their paths, and are kept for other libraries as
    long as they do not change.

    Args:
        path: The directory.

    Raises:
        CassetteError: There is no such directory.
    """

    offline = True

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise CassetteError(str(self.path), "there is no such directory")
        self._lock = threading.Lock()
        self._playlist: Playlist | None = None

    def send(
        self,
        request: requests.PreparedRequest,
        live: Callable[[], requests.Response],  # part of the seam; a library has no use for it
        secrets: Sequence[str],
    ) -> requests.Response:
        """Answer a request from the cassettes.

        Args:
            request: The request.
            live: Not called.
            secrets: Values for which the recordings have a placeholder.

        Returns:
            The recorded response, its body unread.

        Raises:
            ReplayMiss: No cassette has an unplayed answer.
            CassetteError: One of the files cannot be read.
        """
        playlist = self._loaded()
        played = playlist.answer(request, secrets)
        if played is None:
            raise playlist.miss(request, secrets)
        return played

    @property
    def played(self) -> tuple[Exchange, ...]:
        """The exchanges that were played."""
        return self._loaded().played

    @property
    def unused(self) -> tuple[Exchange, ...]:
        """The exchanges that nobody asked for."""
        return self._loaded().unused

    @property
    def unread(self) -> tuple[Exchange, ...]:
        """The exchanges that were played, but whose answer nobody read to its end, in recorded order."""
        return self._loaded().unread

    def assert_all_played(self) -> None:
        """Check that every exchange of the files was asked for, and its answer read to the end: a test's last line.

        Raises:
            CassetteError: Some were not; it names them by their request lines.
        """
        self._loaded().assert_all_played()

    def close(self) -> None:
        """Do nothing: a library holds no file open and writes none."""

    def __repr__(self) -> str:
        return f"directory({str(self.path)!r})"

    def __reduce__(self) -> tuple[type[Library], tuple[str]]:
        return Library, (str(self.path),)

    def _loaded(self) -> Playlist:
        with self._lock:
            if self._playlist is None:
                recordings = [read_recording(path) for path in sorted(self.path.rglob("*.yaml"))]
                self._playlist = Playlist(str(self.path), recordings)
            return self._playlist


def directory(path: str | os.PathLike[str]) -> Library:
    """Play from all cassettes below a directory.

    Args:
        path: The directory.

    Returns:
        A recorder that never reaches the network.

    Raises:
        CassetteError: There is no such directory.
    """
    return Library(path)
