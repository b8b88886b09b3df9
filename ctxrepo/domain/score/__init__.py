"""Which entries matter most now: score, order and lifecycle, from evidence, use and activity."""
