"""Merging one note: its head by fields, its body by entries."""
