"""Operations about what was done: history, what lost a merge, what reviewers struck out."""
