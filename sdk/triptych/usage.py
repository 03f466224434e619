"""What a call cost in tokens: one meaning for all providers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from triptych.checks import is_a


@frozen
class Usage:
    """Tokens read and written by one call.

    Args:
        input_tokens: Everything the model read, cached or not.
        output_tokens: Everything the model wrote, reasoning included.
        cache_read_tokens: The part of the input that came from a cache.
        cache_write_tokens: The part of the input that was written to a cache.
        reasoning_tokens: The part of the output that was reasoning.
        raw: The provider's own counts, as received.
        attempts: How many times requests were sent, those that failed and were tried again included; a client says it.
    """

    input_tokens: int = field(default=0, validator=is_a(int))
    output_tokens: int = field(default=0, validator=is_a(int))
    cache_read_tokens: int = field(default=0, validator=is_a(int))
    cache_write_tokens: int = field(default=0, validator=is_a(int))
    reasoning_tokens: int = field(default=0, validator=is_a(int))
    raw: Mapping[str, Any] | None = field(default=None, eq=False, repr=False, kw_only=True)
    attempts: int = field(default=0, eq=False, kw_only=True, validator=is_a(int))

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        """Return the usage of two calls together; the raw counts are left behind."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            attempts=self.attempts + other.attempts,
        )


def count(counts: Mapping[str, Any] | None, *names: str) -> int:
    """Return the first of the named counts that is a number of tokens, else 0; hosts leave out, null or misspell them.

    Args:
        counts: The provider's usage object or a part of it.
        names: Names to look under, the best first.
    """
    if isinstance(counts, dict):
        for name in names:
            value = counts.get(name)
            if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
                return int(value)
    return 0
