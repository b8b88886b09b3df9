"""The clone's git folder as the files it consists of: configuration, HEAD, refs and their locks."""
