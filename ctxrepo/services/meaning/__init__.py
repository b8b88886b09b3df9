"""Finding entries by what they mean, with a model on this machine."""
