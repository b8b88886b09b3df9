"""Speaking with the remote: fetch, push, clone, and what is still wanted of it."""
