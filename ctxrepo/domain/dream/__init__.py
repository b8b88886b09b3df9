"""What is proposed for memory: by an agent that tidies it up, and by what a person said."""
