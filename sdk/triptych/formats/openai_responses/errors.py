"""Errors of OpenAI Responses, and of the hosts that speak it."""

from __future__ import annotations

from triptych.formats.error_bodies import ErrorTable
from triptych.formats.openai_errors import HOSTS, KINDS

TABLE = ErrorTable("openai_responses", KINDS, hosts=HOSTS)
