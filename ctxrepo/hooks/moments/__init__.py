"""What a hook answers: a module for each moment (start, prompt, tool, subagent, turn), and those that write
one block of an answer."""
