"""What is in review, session by session, for the people who decide on it.

The history has a commit for each time that something was written. Here each entry stands once, with what it
has come to, under the session that left it so."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxrepo.domain.project.layout import is_conflict_copy, is_note
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.commits import CommitSummary, deeds
from ctxrepo.services.review.open_review import in_review, open_review
from ctxrepo.services.saving.describe import lines_of_change
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Objects

OTHER = "* what is no entry: head, headings or blank lines"


@dataclass(frozen=True)
class EntryChange:
    """What became of an entry of the note at `path`, as `+ new`, `~ edited` or `- gone`; `former` is the note
    it came from."""

    path: str
    line: str
    former: str = ""


@dataclass(frozen=True)
class SessionChanges:
    """What one session left, or a person by hand: its commits, oldest first, and what came of them."""

    deeds: Sequence[CommitSummary]
    changes: Sequence[EntryChange]


@dataclass(frozen=True)
class PullRequest:
    """All that is in review on `branch`, the session that began first before the others."""

    branch: str
    parts: Sequence[SessionChanges]

    @property
    def commits(self) -> int:
        return sum(len(part.deeds) for part in self.parts)


def deeds_in_review(memory: Memory) -> list[CommitSummary]:
    """The commits that wait, newest first; NotFound when none does."""
    summaries = deeds(memory, in_review(memory))
    if not summaries:
        raise NotFound("nothing is in review", "`ctxrepo sync` sends what is written, and tells where to.")
    return summaries


def pull_request(memory: Memory) -> PullRequest:
    """What is in review, session by session; NotFound when nothing is."""
    summaries = deeds_in_review(memory)
    current = open_review(memory)
    objects = memory.objects
    made = {deed.commit: set(_made(objects, deed.commit)) for deed in summaries}
    sessions: dict[object, list[CommitSummary]] = {}
    for deed in reversed(summaries):
        sessions.setdefault(_session(deed), []).append(deed)
    changes: dict[object, list[EntryChange]] = {session: [] for session in sessions}
    for change in _changes(memory, summaries[0].commit):
        changes[_session(_maker(change, summaries, made))].append(change)
    parts = [SessionChanges(sessions[session], changes[session]) for session in sessions]
    return PullRequest(current.branch if current else "", parts)


def _session(deed: CommitSummary) -> object:
    """What commits of one session have in common."""
    writers = deed.writers
    is_by_hand = not writers.hosts and not writers.agents
    return writers.sessions, writers.agents, writers.hosts, deed.author if is_by_hand else ""


def _changes(memory: Memory, tip: str) -> Iterator[EntryChange]:
    """What `tip` has that the shared branch has not; of an entry that went to another note only that."""
    objects = memory.objects
    main = objects.ref(memory.clone.upstream_ref)
    base = objects.merge_base(tip, main) if main else None
    found = list(_between(objects, objects.tree_of(base), objects.tree_of(tip)))
    gone = {change.line[2:]: change.path for change in found if change.line.startswith("-")}
    come = {change.line[2:] for change in found if change.line.startswith("+")}
    for change in found:
        text = change.line[2:]
        if change.line.startswith("+") and text in gone:
            yield replace(change, former=gone[text])
        elif not (change.line.startswith("-") and text in come):
            yield change


def _between(objects: Objects, old: str | None, new: str | None) -> Iterator[EntryChange]:
    for path, keys in sorted(objects.diff(old, new).items()):
        if is_note(path) and not is_conflict_copy(path):
            lines = lines_of_change(path, *map(objects.file_or_none, keys)) or [OTHER]
            yield from (EntryChange(path, line) for line in lines)


def _made(objects: Objects, commit: str) -> Iterator[tuple[str, str]]:
    """(note, text) of what a commit brought or took, ('', note) for a note; in a merge by neither side."""
    trees = [objects.tree_of(parent) for parent in objects.parents(commit)] or [None]
    each = [list(_between(objects, tree, objects.tree_of(commit))) for tree in trees]
    for change in each[0]:
        if all(change in others for others in each):
            yield change.path, change.line[2:]
            yield "", change.path


def _maker(
    change: EntryChange, found: Sequence[CommitSummary], made: dict[str, set[tuple[str, str]]]
) -> CommitSummary:
    """The newest commit that left it so."""
    for sign in ((change.path, change.line[2:]), ("", change.path)):
        for deed in found:
            if sign in made[deed.commit]:
                return deed
    return found[0]
