"""Arbitrary input to all that reads what others wrote: only the documented error comes out, and memory is bounded."""
