"""The write path: from a change to a commit that holds it, with the cache in step."""
