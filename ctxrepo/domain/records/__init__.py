"""Records of one line: anchors, handoffs, evidence, usage."""
