"""Tests of `triptych.formats.gemini_generate`."""
