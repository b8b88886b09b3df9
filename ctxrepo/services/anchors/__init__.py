"""Anchors are left, looked up and removed, and work is digested between them."""
