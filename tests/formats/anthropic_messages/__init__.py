"""Tests of Anthropic Messages."""
