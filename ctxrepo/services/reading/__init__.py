"""Looking things up: from what a person names to what the notes and the tape say."""
