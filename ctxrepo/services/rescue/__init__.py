"""Bringing a damaged clone or cache back to work without losing anything."""
