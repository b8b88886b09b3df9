"""What a hook needs, and nothing else: it imports a short list of the standard library only."""
