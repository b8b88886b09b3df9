"""What entries count for beside each other: score, order and lifecycle, from evidence, use and activity."""
