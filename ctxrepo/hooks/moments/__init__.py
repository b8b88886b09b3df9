"""What a hook answers: a module for each moment, and those that write one block of an answer."""
