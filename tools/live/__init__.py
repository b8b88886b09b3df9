"""Real coding agents in sessions of their own: offline, against a model that answers by script."""
