"""What was said in agents' sessions is searched, in the transcripts that the agents keep."""
