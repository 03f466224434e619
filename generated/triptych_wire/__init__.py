"""Wire types: the JSON of each provider's API as TypedDicts, made from schemas/ by `make gen`."""
