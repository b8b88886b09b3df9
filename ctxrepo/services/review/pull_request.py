"""What is in review, session by session, for the people who decide on it.

The history has a commit for each time that something was written. Here each entry stands once, with what it
has come to, under the session that left it so."""

from collections.abc import Iterator, Sequence

from ctxrepo.domain.project.layout import is_conflict_copy, is_note
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.changes import CommitSpan, Wanted, changes
from ctxrepo.services.history.commits import CommitSummary, deeds
from ctxrepo.services.history.net_changes import ChangedFile
from ctxrepo.services.review.open_review import in_review, open_review
from ctxrepo.storage.memory import Memory

OTHER = "* what is no entry: head, headings or blank lines"
RENAMED = "* renamed"


@dataclass(frozen=True)
class EntryChange:
    """What became of an entry of the note at `path`, as `+ new`, `~ edited` or `- gone`, or of all of it
    (OTHER, RENAMED); `former` is the note it came from."""

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
    current, objects = open_review(memory), memory.objects
    main, tip = objects.ref(memory.clone.upstream_ref), summaries[0].commit
    span = CommitSpan(objects.merge_base(tip, main) if main else None, tip)
    sessions: dict[object, list[CommitSummary]] = {}
    for deed in reversed(summaries):
        sessions.setdefault(_session(deed), []).append(deed)
    whose = {deed.commit: session for session, own in sessions.items() for deed in own}
    found: dict[object, list[EntryChange]] = {session: [] for session in sessions}
    for file in changes(memory, span, Wanted()).files:
        if is_note(file.path) and not is_conflict_copy(file.path):
            for change, by in _told(file):
                found[whose.get(by.commit if by else "", whose[tip])].append(change)
    parts = [SessionChanges(sessions[session], found[session]) for session in sessions]
    return PullRequest(current.branch if current else "", parts)


def _told(file: ChangedFile) -> Iterator[tuple[EntryChange, CommitSummary | None]]:
    """What became of a note, and the newest commit that left it so."""
    if file.former or not file.changes:
        yield EntryChange(file.path, RENAMED if file.former else OTHER, file.former), file.deed
    for change in file.changes:
        sign = change.mark.replace(">", "+")
        yield EntryChange(file.path, f"{sign} {change.after or change.before}", change.former), change.deed


def _session(deed: CommitSummary) -> object:
    """What commits of one session have in common."""
    writers = deed.writers
    is_by_hand = not writers.hosts and not writers.agents
    return writers.sessions, writers.agents, writers.hosts, deed.author if is_by_hand else ""
