"""JSON, JSON lines, TOML, YAML and moments, read and edited without touching the rest."""
