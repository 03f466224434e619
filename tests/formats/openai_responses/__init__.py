"""Tests of `triptych.formats.openai_responses`."""
