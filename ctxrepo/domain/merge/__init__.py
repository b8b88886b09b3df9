"""Merging by meaning: pure, the same on every machine, nothing lost and no conflict markers."""

from ctxrepo.domain.merge.aside import Aside, aside_file
from ctxrepo.domain.merge.file import Merged, merge_file

__all__ = ["Aside", "Merged", "aside_file", "merge_file"]
