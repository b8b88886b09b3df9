"""What is wrong with the memory, as sessions, `status` and `doctor` are told."""
