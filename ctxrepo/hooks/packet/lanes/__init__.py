"""The lanes of a packet, a module each: what it holds, how much room it gets, and how it is written."""
