"""A note: its head, its entries, its links, and putting text into it byte by byte."""
