"""What was said in a session, read from the transcript that its agent keeps."""
