"""JSON, JSON lines, TOML and moments, read strictly and edited without touching the rest."""
