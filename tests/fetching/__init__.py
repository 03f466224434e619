"""Files from the web: what is refused, on real sockets, and what comes of the rest."""
