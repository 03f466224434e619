"""Cassettes: recorded from real servers on the loopback, played from real files."""
