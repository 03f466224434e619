"""Errors of Ollama: words alone, whose kind the status and the words tell.

Reference: https://docs.ollama.com/api/errors
"""

from __future__ import annotations

from triptych.formats.error_bodies import ErrorTable

TABLE = ErrorTable("ollama_chat", {})
