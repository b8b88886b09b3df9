"""Merging by meaning: pure, the same on every machine, nothing lost and no conflict markers."""

from ctxrepo.domain.merge.conflict_copy import ConflictCopy, copy_as_file, copy_id, read_copy
from ctxrepo.domain.merge.file import MergedFile, merge_file

__all__ = ["ConflictCopy", "MergedFile", "copy_as_file", "copy_id", "merge_file", "read_copy"]
