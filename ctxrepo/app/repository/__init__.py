"""Operations about the memory as a whole: the repository, its settings, projects and agents."""
