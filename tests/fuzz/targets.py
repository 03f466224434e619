"""The table of all targets, by name."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fuzz.cassettes import CASSETTES
from tests.fuzz.clients import GENERATE, STREAM
from tests.fuzz.framings import FRAMINGS
from tests.fuzz.target import Family, Target
from tests.fuzz.texts import TEXTS
from tests.fuzz.wire_formats import ANSWERS, ERRORS, REQUESTS, STREAMS

FAMILIES: tuple[Family, ...] = (FRAMINGS, ANSWERS, STREAMS, ERRORS, REQUESTS, GENERATE, STREAM, TEXTS, CASSETTES)
TARGETS: Mapping[str, Target] = {target.name: target for family in FAMILIES for target in family.targets}
