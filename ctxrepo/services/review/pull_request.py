"""What is in review, note by note and each entry once, for the people who decide on it: the history has a
commit for each time that something was written."""

from collections.abc import Sequence
from dataclasses import replace

from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import tape_folder
from ctxrepo.domain.records.evidence import closure, edits_in
from ctxrepo.domain.tape.anchors import Anchor, anchors_of
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.changes import CommitSpan, Wanted, changes
from ctxrepo.services.history.commits import CommitSummary, deeds
from ctxrepo.services.history.net_changes import ChangedFile, NetChange
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.services.review.open_review import in_review, open_review
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects


@dataclass(frozen=True)
class PullRequest:
    """All that is in review on `branch`: what its commits come to, note by note."""

    branch: str
    files: Sequence[ChangedFile]
    handoffs: Sequence[tuple[str, Anchor]]
    """Those that were left, each with the folder of its scope: a session that starts is given the newest."""
    commits: int


def deeds_in_review(memory: Memory) -> list[CommitSummary]:
    """The commits that wait, newest first; NotFound when none does."""
    summaries = deeds(memory, in_review(memory))
    if not summaries:
        raise NotFound("nothing is in review", "`ctxrepo sync` sends what is written, and tells where to.")
    return summaries


def pull_request(memory: Memory) -> PullRequest:
    """What is in review against the shared branch; NotFound when nothing is."""
    summaries, current, objects = deeds_in_review(memory), open_review(memory), memory.objects
    tip, main = summaries[0].commit, objects.ref(memory.clone.upstream_ref)
    base = objects.merge_base(tip, main) if main else None
    changed_files = changes(memory, CommitSpan(base, tip), Wanted()).files
    is_gone = any(not change.after for file in changed_files for change in file.changes)
    edits = edits_in(evidence_at(objects, objects.tree_of(tip))) if is_gone else {}
    files, handoffs = _paired(_with_what_went(changed_files), edits), _handoffs(objects, base, tip)
    return PullRequest(current.branch if current else "", files, handoffs, len(summaries))


def _handoffs(objects: Objects, base: str | None, tip: str) -> list[tuple[str, Anchor]]:
    """The handoffs that the tip has and the base hasn't, oldest first, each with its scope's folder."""
    came: dict[str, tuple[str, Anchor]] = {}
    for path, keys in objects.diff(objects.tree_of(base), objects.tree_of(tip)).items():
        if folder := tape_folder(path):
            was, now = (anchors_of(decode(objects.data_or_empty(key)) if key else "") for key in keys)
            known = {anchor.id for anchor in was}
            new = (anchor for anchor in now if anchor.id not in known and anchor.type == "handoff")
            came |= {anchor.id: (folder, anchor) for anchor in new}
    return sorted(came.values(), key=lambda handoff: (handoff[1].moment, handoff[1].id))


def _with_what_went(files: Sequence[ChangedFile]) -> list[ChangedFile]:
    """The files; what went from a renamed note stands with it, and not under the name that it had."""
    went = {
        f.path: f for f in files if f.kind == "changed" and f.changes and not any(c.after for c in f.changes)
    }
    renamed = {file.former: went[file.former].changes for file in files if file.former in went}
    stay = (file for file in files if file.path not in renamed)
    return [replace(file, changes=[*file.changes, *renamed.get(file.former, ())]) for file in stay]


def _paired(files: Sequence[ChangedFile], edits: dict[str, dict[str, None]]) -> list[ChangedFile]:
    """The files; an entry that a command edited to quite other words is one change, as its record says."""
    gone = {
        heir: (file.path, change)
        for file in files
        for change in file.changes
        if not change.after
        for heir in closure(edits, change.id)
    }
    come = {change.id for file in files for change in file.changes if not change.before}
    edited = {name: gone[name] for name in come & gone.keys()}

    def as_edit(file: ChangedFile, change: NetChange) -> NetChange:
        if change.before or change.id not in edited:
            return change
        former, old = edited[change.id]
        return replace(change, before=old.before, former="" if former in (file.path, file.former) else former)

    before = [change for _, change in edited.values()]
    return [
        replace(file, changes=[as_edit(file, change) for change in file.changes if change not in before])
        for file in files
    ]
