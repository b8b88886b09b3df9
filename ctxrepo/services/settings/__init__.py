"""What holds for one agent's sessions: what config.toml and the agent's own settings say."""
