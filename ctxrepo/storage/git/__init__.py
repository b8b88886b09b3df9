"""The git executable, started with bounds and a clean environment."""
