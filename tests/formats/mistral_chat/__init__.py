"""Tests of Mistral's chat completions."""
