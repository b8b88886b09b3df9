"""What there is to tidy up, what is proposed, by agents or from what a person said, and how it is done."""
