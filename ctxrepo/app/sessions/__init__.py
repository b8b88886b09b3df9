"""Operations about what agents' sessions are given, and how well that fits."""
