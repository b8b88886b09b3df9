"""Commands about agents' sessions: what they are given, and how well that fits."""
