"""Git without the clone's configuration: a git directory of our own, and what theirs could do."""
