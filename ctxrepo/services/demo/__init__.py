"""The demo: a story of invented people, played into a memory of its own."""
