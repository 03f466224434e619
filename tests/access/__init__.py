"""Tests of what lets a call in."""
