"""Telling by its looks whether a value could be a secret."""
