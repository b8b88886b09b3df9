"""The index of what was said in sessions, the files it points to, and anchors that stay here."""
