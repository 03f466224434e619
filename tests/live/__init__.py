"""Scenes with a real model: recorded from a server into cassettes, replayed offline, or played live."""
