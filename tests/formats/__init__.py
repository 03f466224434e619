"""Tests of the wire formats: each folder mirrors one of `triptych.formats`."""
