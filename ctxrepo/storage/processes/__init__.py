"""What processes share or start: locks, SQLite files, sockets, child processes."""
