"""The few files and processes that a hook touches: private, small, appended to."""
