"""The rules as data: each row is one kind of secret, with its vendor, shape and examples."""
