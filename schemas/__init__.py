"""JSON Schema of each wire format: the source of the wire types, and what explains an answer of a wrong form."""
