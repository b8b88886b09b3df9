"""What holds for one agent's sessions: what config.toml says, and for pi's what pi's own settings say."""
