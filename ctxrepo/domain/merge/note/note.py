"""Merges a note: its head by fields, its body by entries."""

from __future__ import annotations

from ctxrepo.domain.merge.note.body import merge_body
from ctxrepo.domain.merge.note.head import merge_head
from ctxrepo.domain.note.frontmatter import split
from ctxrepo.domain.records.conflict_copy import ConflictCopy


def merge_note(path: str, base: str, ours: str, theirs: str) -> tuple[str, list[ConflictCopy]]:
    """The merged text of the note at `path`, and copies of the edits that lost."""
    (was, base_body), (us, our_body), (them, their_body) = split(base), split(ours), split(theirs)
    head, head_copies = merge_head(path, was, us, them)
    body, body_copies = merge_body(path, base_body, our_body, their_body)
    if head and body and not head.endswith("\n"):
        head += "\n"
    if not head and split(body)[0]:
        body = "\n" + body  # two thematic breaks must not become a head
    return head + body, head_copies + body_copies
