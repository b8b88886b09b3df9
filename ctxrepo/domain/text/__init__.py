"""Text as it is delivered: escaped, sealed and cut to a room. Hooks load it."""
