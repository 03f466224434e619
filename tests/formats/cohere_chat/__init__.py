"""Tests of `triptych.formats.cohere_chat`."""
