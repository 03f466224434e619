"""Tests of `triptych.formats.ollama_chat`."""
