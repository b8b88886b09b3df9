"""Merging by meaning: pure, the same on every machine, nothing lost and no conflict markers."""

from ctxrepo.domain.merge.file import MergedFile, merge_file

__all__ = ["MergedFile", "merge_file"]
