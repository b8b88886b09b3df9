"""What the tape puts beside prompts: an anchor that is asked for, and what was said in the session before."""
