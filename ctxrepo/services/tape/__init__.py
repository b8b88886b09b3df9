"""What sessions leave for those to come: anchors and handoffs."""
