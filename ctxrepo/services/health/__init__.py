"""Whether everything works, and the notes are sound: `status`, `doctor` and `check`."""
