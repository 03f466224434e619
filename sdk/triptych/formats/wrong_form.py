"""What reading raises where a host sent another form than its API promises."""

from __future__ import annotations


class WrongForm(ValueError):
    """A form that cannot be read, in a way that the schema of its API cannot say; the message says which."""


# A field that lacks or is of another type, a number too large to be a place, values deeper in one another than can be
# walked: whoever reads what a host sent takes these for a fault of the host.
WRONG_FORM = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)
