"""The forms in which a memory leaves: lines of JSON, which come back exactly, and other programs' notes."""
