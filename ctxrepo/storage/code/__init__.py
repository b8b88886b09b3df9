"""The committed tree of a project's code, and its history: read only, and nothing that it names is run."""
