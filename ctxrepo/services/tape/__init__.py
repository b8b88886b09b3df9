"""The tape of a scope as somebody looks at it: its anchors, and what was said between them."""
