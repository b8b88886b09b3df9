"""One git repository is the memory of all your coding agents, on all your machines."""

# A literal: looking package metadata up at run time costs several interpreter starts.
__version__ = "0.1.0"
