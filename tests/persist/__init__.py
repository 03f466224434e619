"""Tests of the JSON form of items."""
