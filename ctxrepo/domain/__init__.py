"""Values and rules: no clock, no disk, no environment."""
