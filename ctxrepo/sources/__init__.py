"""Other memory programs: what a source is, what its files become, and the sources that are no agent's."""
