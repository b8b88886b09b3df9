"""The tape: anchors, what they hand over, how they are found, and what sessions touched."""
