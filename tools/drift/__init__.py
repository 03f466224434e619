"""Drift: what the providers' own packages know of their APIs and schemas/ does not, and the reverse (`make drift`)."""
