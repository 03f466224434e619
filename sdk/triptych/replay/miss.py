"""The report of a request that no recording answers."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from triptych.replay.difference import request_differences
from triptych.replay.errors import ReplayMiss
from triptych.replay.matching import address

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from triptych.replay.cassette_file import Recording
    from triptych.replay.exchange import Exchange

__all__ = ["exchange_names", "replay_miss"]

# So many differences of the nearest recording are shown; so many are counted to find the nearest.
_SHOWN = 3
_COUNTED = 20


def replay_miss(
    cassette: str, asked: tuple[str, str, bytes], recordings: Sequence[Recording], played: Container[int]
) -> ReplayMiss:
    """Explain why a request has no answer.

    Args:
        cassette: The file or directory that was searched.
        asked: Method, URL and body of the request, secrets replaced.
        recordings: The files searched, in order.
        played: The numbers of the exchanges that were played, counted from 0 through all files.

    Returns:
        The error, naming the request, the nearest recording and the first fields that differ.
    """
    opening = f"{cassette} holds no unplayed answer to {asked[0]} {asked[1]}"
    exchanges = [exchange for recording in recordings for exchange in recording.exchanges]
    if not exchanges:
        return ReplayMiss(f"{opening}: it holds no exchange at all", cassette)
    counted = [list(islice(request_differences(_request(exchange), asked), _COUNTED)) for exchange in exchanges]
    names = exchange_names(recordings, cassette)
    equal = [name for name, lines in zip(names, counted, strict=True) if not lines]
    if equal:
        played_before = f"{opening}: it is recorded, but was already played ({', '.join(equal[:_COUNTED])})"
        return ReplayMiss(played_before, cassette, True)
    nearest = min(range(len(exchanges)), key=lambda number: _distance(exchanges[number], asked, counted[number]))
    state = "already played" if nearest in played else "not played yet"
    lines = [f"{opening}; nearest is {names[nearest]} ({state}), which differs in"]
    lines += [f"  {line}" for line in counted[nearest][:_SHOWN]]
    if len(counted[nearest]) > _SHOWN:
        lines.append("  and more")
    return ReplayMiss("\n".join(lines), cassette)


def exchange_names(recordings: Sequence[Recording], cassette: str) -> list[str]:
    """Return what to call each exchange in a message: its number, and its file where there are several.

    Args:
        recordings: The files, in order.
        cassette: The file or directory that they are read as.
    """
    return [name for recording in recordings for name in _names(recording, cassette)]


def _names(recording: Recording, cassette: str) -> Iterator[str]:
    place = "" if recording.path == cassette else f" in {recording.path}"
    for number in range(len(recording.exchanges)):
        yield f"exchange {number + 1} of {len(recording.exchanges)}{place}"


def _request(exchange: Exchange) -> tuple[str, str, bytes]:
    return exchange.method, exchange.url, exchange.request_body


def _distance(exchange: Exchange, asked: tuple[str, str, bytes], lines: list[str]) -> tuple[int, int]:
    """Order recordings: the same path counts most, then how few fields differ."""
    return int(address(exchange.url)[3] != address(asked[1])[3]), len(lines)
