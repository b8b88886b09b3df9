"""What there is to tidy up in a scope is gathered for an agent; nothing is written."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice

from ctxrepo.domain.doubts.overtaking import Overlaps
from ctxrepo.domain.dream.brief import Brief, BriefSection
from ctxrepo.domain.formats.jsonl import text_of
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.note.entry import Entry, normalised
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.records.entry_use import SESSIONS
from ctxrepo.domain.records.proposal import OF_DREAM
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.work_digest import DONE
from ctxrepo.services.dream.carry_out import live_entries
from ctxrepo.services.inbox.staging import inbox_records
from ctxrepo.services.notes.remarks import MOST_OF_TOPIC
from ctxrepo.services.reading.find import NamedScope
from ctxrepo.services.reading.tape_files import tape_here
from ctxrepo.services.sessions.found_messages import indexed_sessions
from ctxrepo.services.sessions.session_projects import Projects
from ctxrepo.services.usage.entry_usage import zombies
from ctxrepo.storage.cache.computed import all_doubts
from ctxrepo.storage.cache.evidence_rows import entry_evidence
from ctxrepo.storage.memory import Memory

SECTIONS = ("twins", "doubtful", "repeated", "idle", "long", "sessions")

OFTEN, VERY_OFTEN = 3, 5
"""From so many repetitions on an entry may be worth more than an entry: a pinned rule, or a skill for all."""

ALIKE = 0.6
"""From this share of words in common on two entries say much the same."""

_WIDTH = 240
"""Characters of an entry that are shown."""

_MOST_ITEMS = 40

_MOST_SESSIONS = 1000
"""Sessions that are looked at, the newest."""

_SMALL = 4096
"""Bytes of a transcript with hardly an exchange in it."""


def gather(memory: Memory, scope: NamedScope, only: Iterable[str], now: datetime) -> Brief:
    """The brief of a scope, of all sections or of `only` these. The cache must be up to date: call `commit`
    first."""
    live = live_entries(memory, scope.folder).by_id
    since = _last_dream(memory, scope)
    work, names = _Gathering(memory, scope, live, since, now), [*only] or SECTIONS
    ways = (work.twins, work.doubtful, work.repeated, work.idle, work.long, work.sessions)
    sections = [section() for name, section in zip(SECTIONS, ways, strict=True) if name in names]
    return Brief(scope.folder, since[:10], [section for section in sections if section.items])


def _last_dream(memory: Memory, scope: NamedScope) -> str:
    """When a dream last proposed something for a scope, or that was decided, in ISO form; '' for never. A
    verdict doesn't say of which scope it is."""
    records = inbox_records(memory, OF_DREAM)
    times = (text_of(record, "ts") for record in records if text_of(record, "scope") in ("", scope.folder))
    return max(times, default="")


@dataclass(frozen=True)
class _Gathering:
    memory: Memory
    scope: NamedScope
    live: Mapping[str, Entry]
    since: str
    now: datetime

    def twins(self) -> BriefSection:
        """Entries that say much the same, the likest first."""
        entries = [*self.live.values()]
        overlaps = Overlaps([entry.text for entry in entries])
        pairs = [(n, other) for n in range(len(entries)) for other in overlaps.near(n) if n < other]
        shares = {pair: share for pair in pairs if (share := overlaps.share(*pair)) >= ALIKE}
        likest = sorted(shares, key=lambda pair: (-shares[pair], pair))
        items = [f"{_line(entries[n])}\n  and {_line(entries[other])}" for n, other in likest]
        return _section("twins", "Entries that say much the same", "Merge those that do.", items)

    def doubtful(self) -> BriefSection:
        """Entries that may hold no longer."""
        doubts = [doubt for doubt in self.memory.cache.ask(all_doubts) if doubt.entry in self.live]
        items = [f"{_line(self.live[doubt.entry])} {doubt.remark}" for doubt in doubts if doubt.remark]
        advice = "Look whether it holds: `ctxrepo verify ^ID`, or propose what holds now."
        return _section("doubtful", "Entries that may hold no longer", advice, items)

    def repeated(self) -> BriefSection:
        """Entries that were said again and again, so that more could be made of them."""
        rows = self.memory.cache.ask(entry_evidence, self.live).values()
        often = sorted((row for row in rows if row.reinforced >= OFTEN), key=lambda row: -row.reinforced)
        items = [f"{_line(self.live[row.entry])} (said {row.reinforced + 1} times)" for row in often]
        advice = f"A rule that is pinned, or a skill, may say it better; from {VERY_OFTEN} times on, to all."
        return _section("repeated", "Entries that were said again and again", advice, items)

    def idle(self) -> BriefSection:
        """Entries that many sessions were given and none used."""
        name, now = self.scope.name, self.now.timestamp()
        report = zombies(self.memory, name, self.scope.project, _MOST_ITEMS, SESSIONS, now)
        usages = [entry.usage for entry in report.entries if entry.usage.id in self.live]
        items = [f"{_line(self.live[u.id])} (given to {u.sessions} sessions, used by none)" for u in usages]
        advice = "Say them so that they help, archive them, or leave them."
        return _section("idle", "Entries that no session uses", advice, items)

    def long(self) -> BriefSection:
        """Notes that are longer than anybody reads."""
        characters = Counter[str]()
        for entry in self.live.values():
            characters[entry.path] += len(entry.text)
        long = ((path, count) for path, count in characters.most_common() if count > MOST_OF_TOPIC)
        items = [f"- {path}, {count:,} characters" for path, count in long]
        advice = "Move what belongs together to notes of its own."
        return _section("long", "Long notes", advice, items)

    def sessions(self) -> BriefSection:
        """What sessions handed over since the last dream."""
        tape = tape_here(self.memory, self.scope.folder)
        anchors = [anchor for anchor in tape.anchors if anchor.type == "handoff"]
        dreams = (anchor.moment for anchor in anchors if anchor.name == DONE)
        since = max(seconds_of(self.since) or 0.0, *dreams, 0.0)
        new = [anchor for anchor in reversed(anchors) if anchor.moment > since and anchor.name != DONE]
        items = [
            f"- {anchor.timestamp[:10]} {anchor.name}: {shown(anchor.summary, _WIDTH)}" for anchor in new
        ]
        items += self._sessions_without({anchor.session_id for anchor in anchors}, since)
        advice = "`ctxrepo tape digest` has what was said. Remember what a session in a month would miss."
        return _section("sessions", "Work since then", advice, items)

    def _sessions_without(self, known: Collection[str], since: float) -> Iterator[str]:
        """The newest sessions of the project that handed over nothing, so that nobody sums them up."""
        projects = Projects(self.memory)
        for session in islice(indexed_sessions(self.memory), _MOST_SESSIONS):
            is_new = session.mtime / 1e9 > since and session.id not in known and not session.is_gone
            if is_new and session.position.place >= _SMALL and projects.is_in(session.cwd, self.scope):
                day = datetime.fromtimestamp(session.mtime / 1e9, UTC).date()
                yield f"- {day} {session.agent}, no handoff: `ctxrepo tape digest --session {session.id}`"


def _section(name: str, title: str, advice: str, items: list[str]) -> BriefSection:
    return BriefSection(name, title, advice, items[:_MOST_ITEMS], max(0, len(items) - _MOST_ITEMS))


def _line(entry: Entry) -> str:
    return f"- ^{entry.id} {entry.at}: {shown(normalised(entry.text), _WIDTH)}"
