"""Benchmarks of triptych beside plain requests and the official packages; run by ``python -m bench``."""
