"""A digest: a stretch of past work beside what memory says of it already, for an agent to make facts of."""
