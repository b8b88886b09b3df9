"""How long a sync takes beside plain git doing the same, measured in one interleaved run."""
