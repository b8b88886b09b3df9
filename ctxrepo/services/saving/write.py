"""The one way for commands to write: draft, guard, write to disk and journal, acknowledge (ADR 5)."""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import field
from datetime import datetime
from functools import partial
from itertools import islice

from ctxrepo.domain.formats.jsonl import with_room
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.git.oid import blob_id_of
from ctxrepo.domain.guard.handover import ADDING, why_not_taken
from ctxrepo.domain.guard.refusals import WAYS, Refusal, check_file, messages_of, refuse
from ctxrepo.domain.note import compose
from ctxrepo.domain.note.entry import Entry, entries_of
from ctxrepo.domain.note.note import decode_exactly, encode, encoded, utf16
from ctxrepo.domain.project.layout import INBOX, REGISTRY, is_note, scope_of
from ctxrepo.domain.project.registry import parse, with_alias, with_project
from ctxrepo.domain.records.conflict_copy import copy_as_file
from ctxrepo.domain.records.proposal import STAGE, Proposal, to_line, with_proposals
from ctxrepo.domain.records.save import Origin, Save
from ctxrepo.errors import Busy, GitFailed, Refused, Unsaved
from ctxrepo.hooks.session.ledger_words import MOVED, OWN
from ctxrepo.hooks.session.session import Session
from ctxrepo.lazy import dataclass
from ctxrepo.services.inbox.staging import proposals_of, staged_paths
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import data_in_view, undeleted
from ctxrepo.services.saving.kept_here import kept_here
from ctxrepo.storage.cache.entries import hash_since
from ctxrepo.storage.cache.layout import hash_of
from ctxrepo.storage.disk.private import random_name, why_unwritable
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.usage import MEMORY_WRITE, Access, AccessLog
from ctxrepo.storage.worktree.scan import in_the_way
from ctxrepo.storage.worktree.worktree import FileUpdate

_MOVES = frozenset({"move", "rename", "link", "unlink"})
"""Operations that leave the text of notes as it is."""

_MOST_NOTED = 20
"""Notes of one command that count as touched, at most: more is an import, and no work on each."""

_ROUNDS = 5
"""How often we merge again when an editor keeps changing a file while we write it."""


@dataclass
class Draft:
    """Changes to files, under the write lock; nothing reaches the disk before all has passed the guard."""

    memory: Memory
    session: str = ""
    agent: str = ""
    before: dict[str, str | None] = field(default_factory=dict)
    after: dict[str, str | None] = field(default_factory=dict)
    """None for a file that is removed."""
    saying: str = ""
    """One line for the commit: what was written."""
    undoes: str = ""
    spoken_of: set[str] = field(default_factory=set)
    """Notes whose entries get an evidence record, whether the text of the note changes or not."""
    held: Set[str] = frozenset()
    """Files of which deletions by hand are held back."""
    _ignored: dict[str, bool] = field(default_factory=dict)

    def there(self, path: str) -> str | None:
        """The file as this draft has it by now; None when there is none."""
        return self.after[path] if path in self.after else self._original(path)

    def text(self, path: str) -> str | None:
        """The same, for a caller that will change the text; Refused for UTF-16: what we add is UTF-8."""
        text = self.there(path)
        if text is not None and utf16(encode(text)):
            raise Refused(f"{path} is UTF-16", "`ctxrepo check --fix` saves it as UTF-8.")
        return text

    def put(self, path: str, text: str) -> None:
        self._original(path)
        self.after[path] = text

    def put_again(self, path: str, text: str | None, before: str | None = None) -> None:
        """`put` a file that has the text already, or with None is gone, and had `before`: an editor left it,
        or a run that was killed before it acknowledged it."""
        self.before[path], self.after[path] = before, text

    def put_back(self, entry: Entry) -> bool:
        """Have the file hold an entry again that a hand deleted from it, while that is held back; whether it
        lacked it."""
        path = entry.path
        if path not in self.held or entry.id in {e.id for e in entries_of(path, self.on_disk(path) or "")}:
            return False
        text = self.text(path) or ""
        self.put_again(path, text, compose.replace(text, entry, ""))
        return True

    def remove(self, path: str) -> None:
        """Remove the file; Refused where a person is to say first what becomes of its deletions by hand."""
        text = self._original(path)
        if path in self.held and self.on_disk(path) not in (None, text):
            raise Refused(f"{path} is held back: entries of it were deleted by hand", f"{WAYS}.")
        self.after[path] = None

    def append_line(self, path: str, line: str) -> None:
        """Add one line to a JSONL file; if its last line is torn, on a new line."""
        text = self.text(path) or ""
        self.put(path, text + ("" if not text or text.endswith("\n") else "\n") + line + "\n")

    def stage(self, proposal: Proposal) -> str:
        """Put a proposal into the inbox, in a file of this machine's, whose path is returned."""
        path = with_room(f"{INBOX}/{self.memory.host}", self.there)
        self.append_line(path, to_line(proposal))
        return path

    def register(self, project: Project | None) -> None:
        """Enter the project's folder in the registry, as something is written for it; Busy if another was."""
        if project is None or not project.id:
            return
        text = self.text(REGISTRY) or ""
        registry = parse(text)
        if registry.problem and project.is_registered:  # in its last version that could be read
            return
        known = registry.folder_of(project.id)
        if known not in ("", project.folder):
            raise Busy(f"the project's folder has just become {known}/", "Run the command again.")
        registered = text if known else with_project(text, project.id, project.folder)
        if project.new_alias:
            registered = with_alias(registered, project.new_alias, project.id)
        if registered != text:
            self.put(REGISTRY, registered)

    def ignores(self, path: str) -> bool:
        """Whether git ignores this note and doesn't know it yet: no other machine is to learn of it."""
        if path not in self._ignored:
            self._ignored[path] = False
            if is_note(path) and not self.memory.cache.ask(hash_since, path):
                with suppress(GitFailed):  # the commit will tell
                    self._ignored[path] = bool(self.memory.rules(None).ignored([path]))
        return self._ignored[path]

    def require_kept(self, to: Mapping[str, str]) -> None:
        """Refused where a note would go, by path, from where git's own files keep it to where they don't, or
        the other way: then all other machines would lose it."""
        kept = self._kept(to)
        goals = self._kept({*to.values()})
        if lost := sorted(path for path in to.keys() - kept if to[path] in goals):
            raise Refused(
                f"git ignores or converts {to[lost[0]]}: no other machine would have {lost[0]} any more",
                "Choose another place, or move the file yourself if you mean that.",
            )
        if lost := sorted(path for path in kept if to[path] not in goals):
            raise Refused(
                f"git ignores or converts {lost[0]}, and {to[lost[0]]} would be committed and sent",
                "Choose a place that git's own files name as well, or move the file yourself.",
            )

    def _kept(self, paths: Collection[str]) -> set[str]:
        with suppress(GitFailed):
            return {p for p in paths if self.ignores(p)} | self.memory.rules(None).converted(paths).keys()
        return set()

    def _original(self, path: str) -> str | None:
        """The file as it was when this draft first read it; where deletions by hand are held back, without
        these: a command changes what memory shows, and `_put` merges that with what is on disk."""
        if path not in self.before:
            text = self.on_disk(path)
            data = data_in_view(self.memory, path) if path in self.held else None
            self.before[path] = text if data is None else decode_exactly(data)
        return self.before[path]

    def on_disk(self, path: str) -> str | None:
        """The file as it is on disk now."""
        self.memory.require_text(path)
        data = self.memory.worktree.read_saved(path)
        if data is None and self.memory.worktree.exists(path):
            hint = "A link, a folder or a huge file is in the way."
            raise Refused(f"{path} is there but is no readable file", hint)
        return None if data is None else decode_exactly(data)


@contextmanager
def drafting(memory: Memory, op: str, origin: Origin, now: datetime) -> Iterator[Draft]:
    """Hold the write lock over a Draft, and acknowledge it at the end: then all changes are fsynced, in the
    worktree and in the journal. Refused, and nothing written, when the write guard refuses a file; Busy when
    the journal is full. Where the memory can't be written it is handed over (ADR 82)."""
    if memory.why_read_only:
        if op not in ADDING or not why_unwritable(memory.state.root):  # the clone alone: no sandbox
            raise memory.unchanged()
        draft = Draft(memory, origin.session, origin.agent, held=undeleted(memory))
        yield draft
        _hand_over(draft, op, origin, now)
        return
    with memory.writing():
        memory.journal.require_room()
        draft = Draft(memory, origin.session, origin.agent, held=undeleted(memory))
        yield draft
        _acknowledge(draft, op, origin, now)


_PROPOSED = frozenset({"remember", "edit", "new", "forget", "tags"})
"""Operations on notes that may wait as proposals."""


def _staged(draft: Draft, op: str, origin: Origin, now: datetime) -> str:
    """Turn what an agent changes in notes where its writes are staged into proposals; returns which operation
    that is by then. Refused where it can't wait."""
    memory = draft.memory
    all_paths = [path for path, text in draft.after.items() if text != draft.before.get(path)]
    paths = staged_paths(memory, origin.agent, all_paths)
    if not paths:
        return op
    if op not in _PROPOSED:
        raise Refused(
            f"agents may only propose what changes {scope_of(paths[0])}/, and `{op}` can't be proposed",
            "`ctxrepo remember`, `edit`, `new` and `forget` propose; a person can do the rest.",
        )
    saves = _saves(draft, paths, op, origin, now)
    proposals = [proposal for save in saves for proposal in proposals_of(memory, save)]
    draft.after.clear()  # what is said of entries, too, will be said when one is accepted
    path = with_room(f"{INBOX}/{memory.host}", draft.there)
    draft.put(path, with_proposals(draft.text(path) or "", proposals))
    memory.proposed.extend(proposal.id for proposal in proposals)
    return STAGE


def _hand_over(draft: Draft, op: str, origin: Origin, now: datetime) -> None:
    """Leave the draft where whoever can write finds it; Refused if it wouldn't be taken in, Unsaved where
    nothing can be left either."""
    op = _staged(draft, op, origin, now)
    paths, _ = _checked(draft)
    if not paths:
        return
    memory = draft.memory
    saves = _saves(draft, paths, op, origin, now)
    if why := why_not_taken(saves):
        raise Refused(f"nothing is saved: {why}", "Run it outside of the sandbox.")
    try:
        memory.handover.add(saves)
    except OSError as error:
        hint = f"Run it outside of the sandbox, or let the sandbox write to {memory.places.handover}."
        raise Unsaved(f"nothing is saved: {memory.why_read_only}", hint, origin.project) from error
    if memory.notice:
        memory.notice("handed over: it is saved as soon as ctxrepo runs outside of this sandbox")


def _checked(draft: Draft) -> tuple[list[str], dict[str, bytes]]:
    """The paths that a draft changes, and the bytes of those that stay; Refused by the guard."""
    paths = [path for path, text in draft.after.items() if text != draft.before.get(path)]
    new_bytes = {path: encode(text) for path in paths if (text := draft.after[path]) is not None}
    refuse([refusal for path, data in new_bytes.items() for refusal in _refusals(draft, path, data)])
    for place, why in in_the_way(draft.memory.root, new_bytes).items():  # before the first file is written
        raise Refused(f"{place} {why}", "Nothing was changed. Move it away, or choose another place.")
    return paths, new_bytes


def _saves(draft: Draft, paths: Sequence[str], op: str, origin: Origin, now: datetime) -> list[Save]:
    save = partial(Save, op=op, by=origin, at=stamp(now), id=random_name(), undoes=draft.undoes)
    versions = ((path, encoded(draft.before.get(path)), encoded(draft.after[path])) for path in paths)
    return [save(path, base, after, note=draft.saying) for path, base, after in versions]


def _acknowledge(draft: Draft, op: str, origin: Origin, now: datetime) -> None:
    op = _staged(draft, op, origin, now)
    paths, new_bytes = _checked(draft)
    if not paths:
        return
    paths += _put(draft, new_bytes)
    if notice := draft.memory.notice:  # of files that no commit will hold
        ignored = [f"{p} stays on this machine: git ignores it" for p in new_bytes if draft.ignores(p)]
        converted: Sequence[str] = ()
        with suppress(GitFailed):
            converted = messages_of(kept_here(draft.memory, None, new_bytes, ()).refusals())
        for line in (*ignored, *converted):
            notice(line)
    # Remove files last: a kill before this leaves a file too many, which is no loss. An edit wins here, too.
    removals = {p: blob_id_of(encoded(draft.before[p])) for p in paths if draft.after[p] is None}
    draft.memory.worktree.update_unchanged({path: FileUpdate(oid, None) for path, oid in removals.items()})
    draft.memory.journal.add(_saves(draft, paths, op, origin, now))
    if origin.session:
        _note_for_session(draft, origin, paths, new_bytes, is_move=op in _MOVES)
        if op not in _MOVES:  # in the access log, as the hook of its own tools would
            log, places = AccessLog(draft.memory.state.access), filter(is_note, new_bytes)
            for place in islice(places, _MOST_NOTED):
                path = str(draft.memory.root / place)
                log.add(Access(now.timestamp(), origin.agent, origin.session, MEMORY_WRITE, path))


def _refusals(draft: Draft, path: str, data: bytes) -> list[Refusal]:
    """What the guard refuses in the file's new bytes, but for secrets in lines that it had already: for these
    it is held back, and what commands write beside them stays in view."""
    allow, before = draft.memory.settings.secrets.allow_secret, draft.before.get(path)
    refusals = check_file(path, data, allow)
    if not refusals or before is None:
        return [*refusals]
    known = {refusal.fingerprint for refusal in check_file(path, encode(before), allow) if refusal.line}
    lines, there = decode_exactly(data).split("\n"), {*before.split("\n")}
    return [r for r in refusals if r.fingerprint not in known - {""} or lines[r.line - 1] not in there]


def _note_for_session(
    draft: Draft, origin: Origin, paths: Sequence[str], new_bytes: Mapping[str, bytes], *, is_move: bool
) -> None:
    """Record in the session what it wrote, and which notes it knows that got evidence and kept their text."""
    memory = draft.memory
    session = Session(str(memory.places.state), memory.state.id, origin.agent, origin.session)
    for path in paths:
        session.note_write(path, new_bytes.get(path), is_move=is_move)
    if spoken_of := draft.spoken_of.difference(paths):
        for path in sorted(spoken_of):
            if digest := memory.cache.ask(hash_since, path, session.record.generation):
                session.note(MOVED, path, digest)
    for path in filter(is_note, new_bytes):
        known = {entry.id for entry in entries_of(path, draft.before[path] or "")}
        for entry in entries_of(path, draft.after[path] or ""):
            if entry.id not in known:  # so that it isn't given them again
                session.note(OWN, entry.id, hash_of(entry))
    session.save()


def _put(draft: Draft, new_bytes: Mapping[str, bytes]) -> list[str]:
    """Write these bytes to the files, merged with what an editor, who takes no lock, wrote since we read
    them. If both changed the same thing, the version that loses goes to a conflict copy; returns the paths of
    these."""
    worktree = draft.memory.worktree
    copies: dict[str, bytes] = {}
    bases = {path: encoded(draft.before.get(path)) for path in new_bytes}
    due = {path: (bases[path], data) for path, data in new_bytes.items()}
    for _ in range(_ROUNDS):
        updates = {path: FileUpdate(blob_id_of(old), new) for path, (old, new) in due.items()}
        due = {}
        for path in worktree.update_unchanged(updates):
            now = worktree.read_saved(path)
            from ctxrepo.domain.merge import merge_file  # 2,000 lines, for an edit at the same moment

            merged = merge_file(path, bases[path], new_bytes[path], now)
            due[path] = now, merged.data or new_bytes[path]
            copies |= map(copy_as_file, merged.conflict_copies)
        if copies:  # the version that loses is safe before the other one takes its place
            worktree.write_all(copies)
        if not due:
            break
    else:
        last = {path: data for path, (_, data) in due.items()}
        worktree.write_all(last, {path: blob_id_of(old) for path, (old, _) in due.items()})
    draft.before |= dict.fromkeys(copies)
    draft.after |= {path: decode_exactly(data) for path, data in copies.items()}
    return [*copies]
