"""Threads: conversations that are kept whole, and shrunk views of them for a model to read.

`Thread.of(items)` keeps what was said; `compress(thread)` returns it with views that leave out what is no longer
needed, and a report. The rules are functions, and may be replaced.
"""

from triptych.threads.compression import compress
from triptych.threads.filler import is_filler_text
from triptych.threads.report import Estimate, Removal, Report, estimate_tokens
from triptych.threads.rules import Cut, ExchangeRule, MessageRule, Rules, filler_text, finished, superseded
from triptych.threads.summaries import summarised
from triptych.threads.thread import Thread
from triptych.threads.timeline import Exchange, Place, Timeline
from triptych.threads.turn import TIERS, Tier, Turn

__all__ = [
    "TIERS",
    "Cut",
    "Estimate",
    "Exchange",
    "ExchangeRule",
    "MessageRule",
    "Place",
    "Removal",
    "Report",
    "Rules",
    "Thread",
    "Tier",
    "Timeline",
    "Turn",
    "compress",
    "estimate_tokens",
    "filler_text",
    "finished",
    "is_filler_text",
    "summarised",
    "superseded",
]
