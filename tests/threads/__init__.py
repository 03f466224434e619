"""Tests of threads and their compression."""
