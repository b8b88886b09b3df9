"""Transcripts that agents keep of their sessions are read, indexed and searched."""
