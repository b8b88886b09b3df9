"""What a hook knows: settings, places and the cache, and whether they are still right."""
