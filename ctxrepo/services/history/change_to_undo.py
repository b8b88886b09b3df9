"""What undo is to take back: the files that an operation or a commit changed, before and after it."""

from ctxrepo.domain.git.commit import subject_of
from ctxrepo.domain.note.note import encoded
from ctxrepo.domain.project.layout import ANCHORS_FILE, is_evidence, shown
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.reading.marks import Files
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.committed_records import Operation

_CLAIMS = frozenset({"rename", "link", "unlink"})
"""Operations that are about which folder is whose; for others that is a side effect."""

_MOST_COMMITS = 8
"""Commits of a merge that a message names."""

MOST_OPERATIONS = 1000
"""Operations or commits among which the one is looked for that undo takes back, or that stands in its way."""

WIDTH = 60
"""Characters that a message shows of what was said."""


@dataclass(frozen=True)
class ChangeToUndo:
    """What is to be taken back: the files it changed, as they were `before` and `after` it in `commit`. To
    take a commit off the branch is such a change, too: then `commit` is where the branch left its history."""

    what: str
    saying: str
    commit: str
    before: Files
    after: Files
    is_claim: bool = False
    undoes: str = ""
    """The id of the operation or commit that did it."""
    is_commit: bool = False
    """Whether a whole commit did it."""

    @property
    def operation(self) -> str:
        """What it was: the name of an operation, or the beginning of a commit's id."""
        return self.undoes[:10] if self.is_commit else self.what

    @property
    def name(self) -> str:
        return f"`{shown(self.what, WIDTH)}`"

    @property
    def records(self) -> list[str]:
        """Its files of JSON lines that it changed. A tape that went elsewhere is no such file."""
        moves = any(after is None and p.endswith(".jsonl") for p, after in self.after.items())
        return [
            p
            for p, after in self.after.items()
            if p.endswith(".jsonl")
            and not p.endswith(ANCHORS_FILE)  # who writes it knows no tombstones
            and (is_evidence(p) or (after is not None and (self.before[p] is not None or not moves)))
        ]


def of_operation(operation: Operation) -> ChangeToUndo:
    """What an operation wrote; Refused where it was too much to be noted."""
    if not operation.writes:
        raise Refused(
            f"`{operation.op}` changed too much to be taken back by itself",
            f"`ctxrepo undo {operation.commit[:10]}` takes back the commit that holds it.",
        )
    before = {w.path: encoded(w.before) for w in operation.writes}
    after = {w.path: encoded(w.after) for w in operation.writes}
    is_claim = operation.op in _CLAIMS
    about = (operation.op, operation.note, operation.commit, before, after, is_claim)
    return ChangeToUndo(*about, undoes=operation.id)


def of_commit(memory: Memory, commit_id: str) -> ChangeToUndo:
    """What a commit changed or, if it isn't on the branch, that it was taken off. UsageError for the first
    one and for a merge, Refused for one of a history that was rewritten, or of what is no plain file."""
    objects = memory.objects
    parents = objects.parents(commit_id)
    short = commit_id[:10]
    if not parents:
        raise UsageError(f"{short} is the first commit: before it there was no memory")
    if len(parents) > 1:
        inside = [c for c in objects.new_commits(commit_id, parents[0]) if len(objects.parents(c)) == 1]
        told = [f"{c[:10]} {subject_of(objects.header_of(c).message)}" for c in inside[:_MOST_COMMITS]]
        more = f" and {len(inside) - len(told)} more" if len(inside) > len(told) else ""
        raise UsageError(
            f"{short} is a merge: it brought together what {len(inside)} commits did",
            f"Take back one of them: {'; '.join(told)}{more}.",
        )
    was, now = parents[0], commit_id
    if (tip := memory.head) and not objects.contains(tip, commit_id):  # to take it off was the deed
        was, now = commit_id, objects.merge_base(tip, commit_id) or ""
    if not now:
        raise Refused(
            f"{short} has no commit in common with the memory, whose history was rewritten since",
            f"`ctxrepo restore NOTE --at {short}` brings back a note as it was there.",
        )
    changed = objects.diff(objects.tree_of(was), objects.tree_of(now))
    if odd := [p for p, keys in changed.items() if any(key and ":" in key for key in keys)]:
        raise Refused(f"{short} changed {odd[0]}, which is not a plain file", "Take it back with git.")
    before, after = (
        {p: None if keys[n] is None else objects.data(str(keys[n])) for p, keys in changed.items()}
        for n in (0, 1)
    )
    subject = subject_of(objects.header_of(commit_id).message)
    return ChangeToUndo(subject, subject, now, before, after, undoes=commit_id, is_commit=True)
