"""What is in review, note by note and each entry once, for the people who decide on it: the history has a
commit for each time that something was written."""

from collections.abc import Sequence
from dataclasses import replace

from ctxrepo.domain.records.evidence import closure, edits_in
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.changes import CommitSpan, Wanted, changes
from ctxrepo.services.history.commits import CommitSummary, deeds
from ctxrepo.services.history.net_changes import ChangedFile, NetChange
from ctxrepo.services.reading.marks import evidence_at
from ctxrepo.services.review.open_review import in_review, open_review
from ctxrepo.storage.memory import Memory


@dataclass(frozen=True)
class PullRequest:
    """All that is in review on `branch`: what its commits come to, note by note."""

    branch: str
    files: Sequence[ChangedFile]
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
    found = changes(memory, CommitSpan(base, tip), Wanted()).files
    is_gone = any(not change.after for file in found for change in file.changes)
    edits = edits_in(evidence_at(objects, objects.tree_of(tip))) if is_gone else {}
    files = _paired(_with_what_went(found), edits)
    return PullRequest(current.branch if current else "", files, len(summaries))


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

    def told(file: ChangedFile, change: NetChange) -> NetChange:
        if change.before or change.id not in edited:
            return change
        former, old = edited[change.id]
        return replace(change, before=old.before, former="" if former in (file.path, file.former) else former)

    before = [change for _, change in edited.values()]
    return [
        replace(file, changes=[told(file, one) for one in file.changes if one not in before])
        for file in files
    ]
