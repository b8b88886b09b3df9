"""`ctxrepo mcp` under checks of others, in numbers, and ended in every way: long runs."""
