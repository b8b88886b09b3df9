"""Models and the vectors that they make of texts."""
