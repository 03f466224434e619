"""Tests of the framings: each against a plain reading of whole bodies, however the bytes are cut."""
