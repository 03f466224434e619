"""Streams that fail, and streams that do not, on real sockets."""
