"""What a commit is about: its message, entry by entry."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ctxrepo.domain.formats.jsonl import records, text_of
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.git.commit import FileChange
from ctxrepo.domain.guard.takeback import is_way_back
from ctxrepo.domain.merge.tree.moves import moves_between
from ctxrepo.domain.note.entry import Entry, entries_of, moved, normalised
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import (
    BOOKKEEPING,
    INBOX,
    REGISTRY,
    TAPES,
    archived_tape_folder,
    is_archived,
    is_conflict_copy,
    is_evidence,
    is_note,
    moved_path,
    tape_folder,
    tapes_of,
)
from ctxrepo.domain.project.registry import parse
from ctxrepo.domain.records.evidence import evidence_of
from ctxrepo.domain.records.proposal import ACCEPT, DECLINE, STAGE, inbox_lines, is_inbox, verdicts
from ctxrepo.domain.records.save import Save
from ctxrepo.storage.memory import Memory

_GONE = "- "


def describe(
    memory: Memory,
    changes: Mapping[str, bytes | None],
    head: Mapping[str, str],
    verbs: Mapping[str, str] | None = None,
) -> list[FileChange]:
    """One FileChange a file, notes first, bookkeeping (registry, evidence, conflict copies) last; a moved
    note or a renamed project folder is one. `verbs` has what is said of a file instead of what became of it,
    such as `undo remember`."""
    verbs = verbs or {}
    before = {path: memory.objects.data_or_empty(key) for path, key in head.items()}
    renames = _renamed_folders(changes, before)
    went = {to: path for rename in renames for path, to in _went(changes, rename)}
    moves = {to: path for to, path in _moves(changes, before).items() if to not in went}
    was = moves | went
    gone = frozenset(was.values())
    resets = {folder for path in changes if (folder := archived_tape_folder(path))}
    files = []
    for path, after in changes.items():
        if path in gone:
            continue
        verb = "remove" if after is None else "edit" if path in head or path in was else "add"
        verb = verb if path not in moves else "archive" if is_archived(path) else "move"
        lines = tuple(lines_of_change(path, before.get(was.get(path, path)), after))
        place = path
        if folder := archived_tape_folder(path) or (tape_folder(path) if lines else ""):
            place, verb = _of_tape(folder, lines, is_reset=folder in resets)
            lines = () if folder in resets else lines
        elif is_inbox(path):
            place = _of_inbox(before.get(path), after, is_alone=not any(map(is_note, changes)))
        if lines or path not in went:
            files.append(FileChange(place, verbs.get(path) or verb, lines, was=moves.get(path, "")))
    for path in filter(is_evidence, changes):
        files += _confirmations(memory, decode((changes[path] or b"").removeprefix(before.get(path, b""))))
    # An anchor may stand on pi-memory-md's tape too, and is still one change.
    files = list(dict.fromkeys(files))
    return [*renames, *sorted(files, key=lambda c: (not is_note(c.path), _is_bookkeeping(c.path), c.path))]


def _of_tape(folder: str, lines: Sequence[str], *, is_reset: bool) -> tuple[str, str]:
    """(what stands for a tape's file, the verb): its newest anchor or the last that went."""
    if is_reset:
        return f"{tapes_of(folder)}/tape", "reset"
    new = [line for line in lines if not line.startswith(_GONE)]
    name = new[-1] if new else lines[-1].removeprefix(_GONE)
    return f"{tapes_of(folder)}/{name}", "anchor" if new else "delete anchor"


def _of_inbox(before: bytes | None, after: bytes | None, *, is_alone: bool) -> str:
    """What stands for a file of the inbox: a proposal of the scope that it is for, and bookkeeping where the
    note says what became of it."""
    was, now = ({line.name: line for line in inbox_lines("", data or b"")} for data in (before, after))
    lines = [(was | now)[name] for name in was.keys() ^ now.keys()]
    scopes = {line.proposal.scope for line in lines if line.proposal}
    return f"{min(scopes, default=INBOX)}/a proposal" if is_alone else f"{BOOKKEEPING}/{INBOX}"


_VERBS = {STAGE: "add", ACCEPT: "accept", DECLINE: "decline"}


def verbs_of(saves: Iterable[Save]) -> dict[str, str]:
    """path -> `undo …`, `redo …` or what was decided, of the files that no other operation wrote."""
    by_path: dict[str, set[str]] = {}
    for save in saves:
        by_path.setdefault(save.path, set()).add(save.op)
    alone = {path: op for path, (op, *others) in by_path.items() if not others}
    return {path: _VERBS.get(op, op) for path, op in alone.items() if op in _VERBS or is_way_back(op)}


def _renamed_folders(changes: Mapping[str, bytes | None], before: Mapping[str, bytes]) -> list[FileChange]:
    """The project folders that were renamed or linked, as the registry tells."""
    if REGISTRY not in changes:
        return []
    was, now = (parse(decode(files.get(REGISTRY) or b"")) for files in (before, changes))
    renames = []
    for project, old in was.projects.items():
        if (new := now.folder_of(project)) and new != old:
            verb = "link" if new in was.projects.values() else "rename"
            rename = FileChange(new, verb, was=old)
            if files := len(_went(changes, rename)):
                lines = (f"* {old}/ is {new}/ now ({counted(files, 'file')})",)
                renames.append(replace(rename, lines=lines))
    return renames


def _went(changes: Mapping[str, bytes | None], rename: FileChange) -> list[tuple[str, str]]:
    """(old path, new path) of the files that moved with a renamed folder."""
    ways = [(path, moved_path(path, rename.was, rename.path)) for path in changes if changes[path] is None]
    return [(path, to) for path, to in ways if changes.get(to) is not None]


def _moves(changes: Mapping[str, bytes | None], before: Mapping[str, bytes]) -> dict[str, str]:
    """new path -> old path of notes that moved in these changes, by the evidence, else by their words."""
    renames = [
        e
        for path, after in changes.items()
        if is_evidence(path)
        for e in evidence_of(decode((after or b"").removeprefix(before.get(path, b""))))
        if e.kind == "renamed"
    ]
    gone = {path for path in before if path in changes and changes[path] is None}
    moves = {e.to: e.path for e in renames if e.path in gone and changes.get(e.to) is not None}
    rest = {path: before[path] for path in gone.difference(moves.values()) if is_note(path)}
    come = {p: data for p, data in changes.items() if p not in before and p not in moves and is_note(p)}
    return moves | {new: old for old, new in moves_between(rest, come).items()}


_CONFIRMING: dict[str, str] = {"reinforced": "reinforce", "verified": "verify"}


def _confirmations(memory: Memory, lines: str) -> Iterator[FileChange]:
    """A change for each entry that new records say holds, or was looked at: its note stays as it is."""
    for record in evidence_of(lines):
        if verb := _CONFIRMING.get(record.kind):
            entries = entries_of(record.path, decode(memory.worktree.read(record.path) or b""))
            words = next((normalised(e.text) for e in entries if e.id == record.entry), f"^{record.entry}")
            yield FileChange(record.path, verb, (f"* {record.kind}: {words}",))


def _is_bookkeeping(path: str) -> bool:
    return path.startswith(".") or is_conflict_copy(path) or "/" not in path


def lines_of_change(path: str, before: bytes | None, after: bytes | None) -> list[str]:
    """A line for each entry: `+ ` added, `~ ` edited, `- ` removed; of a tape the names of its anchors, new
    or gone (`- `); of the inbox what was proposed and declined; none of a version that lost a merge, which is
    no note of its own."""
    if path.startswith(f"{TAPES}/"):
        known, names = (
            {text_of(fields, "id"): text_of(fields, "name") for fields in records(decode(data or b""))}
            for data in (before, after)
        )
        removals = [f"{_GONE}{name}" for key, name in known.items() if key not in names and name]
        return removals + [name for key, name in names.items() if key not in known and name]
    if is_inbox(path):
        return list(_lines_of_inbox(before or b"", after or b""))
    if not is_note(path) or is_conflict_copy(path):
        return []
    old, new_entries = entries_of(path, decode(before or b"")), entries_of(path, decode(after or b""))
    lines = []
    for was, now in entry_pairs(old, new_entries):
        if now is None:
            lines.append(f"{_GONE}{normalised(was.text) if was else ''}")
        elif was is None or was.id != now.id:
            lines.append(f"{'~' if was else '+'} {normalised(now.text)}")
        else:
            lines.append(f"~ {words_said(now)}")
    return lines


def entry_pairs(old: list[Entry], new: list[Entry]) -> list[tuple[Entry | None, Entry | None]]:
    """(before, after) of each entry that came, was edited or went between two versions of a note, whatever
    the note was called; None for none. First those under a new id, then those that kept theirs, then what
    went."""
    was = {after.id: before for before, after in moved(old, new)} if old and new else {}
    had = {e.id: e for e in old}
    pairs: list[tuple[Entry | None, Entry | None]] = [(was.get(e.id), e) for e in new if e.id not in had]
    # A ticked box leaves the id of an entry as it is, so it is compared by the text.
    stay = ((had[e.id], e) for e in new if e.id in had)
    pairs += [(b, a) for b, a in stay if b.text.split() != a.text.split()]
    kept = {e.id for e in new} | {before.id for before in was.values()}
    return pairs + [(e, None) for e in old if e.id not in kept]


def words_said(entry: Entry) -> str:
    """The text of an entry on one line with its box, by which a tick shows."""
    return " ".join(entry.text.split()).lstrip("-*+ ")


def _lines_of_inbox(before: bytes, after: bytes) -> Iterator[str]:
    was, now = ({line.name: line for line in inbox_lines("", data)} for data in (before, after))
    decisions = {verdict.id: verdict for verdict in verdicts(decode(after))}
    for name, line in now.items():
        if name not in was:
            yield f"* proposed: {line.words}"
    for name, line in was.items():
        verdict = decisions.get(name)
        if name not in now and not (verdict and verdict.decision == "accepted"):
            reason = f" ({verdict.reason})" if verdict and verdict.reason else ""
            yield f"* {'declined' if verdict else 'no longer proposed'}: {line.words}{reason}"
