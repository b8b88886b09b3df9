"""Merging two trees: claims, moves, files, clashes of names."""
