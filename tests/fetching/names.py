"""Names that a test makes up."""

import socket
from typing import Any

import pytest


class Names:
    """A resolver of names that the test makes up, told in order; it counts how often each was asked for.

    The system's own resolver cannot be made to change its mind, so these tests stand in for it.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **answers: list[list[str]]) -> None:
        self.asked: list[str] = []
        self._answers = {name.replace("_", "."): iter(lists) for name, lists in answers.items()}
        self._real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self._look_up)

    def _look_up(self, host: str, port: int, *rest: Any, **options: Any) -> list[Any]:
        if host not in self._answers:
            return list(self._real(host, port, *rest, **options))
        self.asked.append(host)
        kind = {True: socket.AF_INET6, False: socket.AF_INET}
        return [(kind[":" in one], socket.SOCK_STREAM, 6, "", (one, port)) for one in next(self._answers[host])]
