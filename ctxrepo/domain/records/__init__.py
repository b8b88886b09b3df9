"""Records of one line: evidence, saves, usage."""
