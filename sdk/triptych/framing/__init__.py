"""Framing: bytes as they come from the network, cut anywhere, to whole events. Each module knows one framing."""
