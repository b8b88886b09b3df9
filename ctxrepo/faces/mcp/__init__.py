"""The memory for hosts that speak the Model Context Protocol; the only owner of its SDK."""
