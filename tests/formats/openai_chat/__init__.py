"""Tests of OpenAI Chat Completions."""
