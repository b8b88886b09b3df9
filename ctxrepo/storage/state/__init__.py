"""What is kept below the state folder between processes: logs, ledgers, spool, tables."""
