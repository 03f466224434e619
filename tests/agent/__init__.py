"""Tests of the seam for an agent loop."""
