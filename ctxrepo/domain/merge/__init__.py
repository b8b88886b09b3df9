"""Merging by meaning: pure, the same on every machine, nothing lost and no conflict markers."""

from ctxrepo.domain.merge.conflict_copy import Aside, aside_file, aside_id, read_aside
from ctxrepo.domain.merge.file import Merged, merge_file

__all__ = ["Aside", "Merged", "aside_file", "aside_id", "merge_file", "read_aside"]
