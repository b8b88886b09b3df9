"""What waits in the inbox, and which writes of agents go there."""
