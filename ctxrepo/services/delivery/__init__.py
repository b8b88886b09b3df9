"""What sessions are given: the packet, and the files that hold it."""
