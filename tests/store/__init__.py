"""The store: real files, real processes, killed and forked."""
