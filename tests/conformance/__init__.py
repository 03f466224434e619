"""Our bodies and our reading of answers, beside the providers' own packages: `make conformance`."""
