"""Whether a living memory beats a plain list: measures over the histories of public repositories, offline."""
