"""Errors of Gemini and Vertex AI: a status in words; the details are read for all of Google's APIs alike."""

from __future__ import annotations

from triptych.formats.error_bodies import ErrorTable
from triptych.formats.google_errors import STATUSES

TABLE = ErrorTable("gemini_generate", STATUSES)
