"""The verbs of notes: what `remember`, `edit`, `forget` and the others do."""
