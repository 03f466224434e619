"""Tests of `triptych.formats.bedrock_converse`."""
