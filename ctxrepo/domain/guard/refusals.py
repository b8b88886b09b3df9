"""The write guard: why a file may not become part of the memory, and which deletions look accidental."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field

from ctxrepo.domain.note.entry import entries_of, moved, normalised
from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.note.note import decode, decode_exactly, units_of, utf16
from ctxrepo.domain.project.layout import is_note, shown, unsafe
from ctxrepo.domain.secrets import mask, scan
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass

MAX_BYTES = 1024 * 1024
"""The most bytes of one file; larger ones would make every clone, merge and search slow for ever."""


@dataclass(frozen=True)
class Refusal:
    """A reason to refuse the file at `path`, which may hold a secret (show `at`), as `message` never does.
    `rule` is `path`, `size`, `schema`, `secret` or `deletions`; `line` is 1-based, 0 for the whole file."""

    path: str = field(repr=False)
    rule: str
    message: str
    line: int = 0
    fingerprint: str = ""

    @property
    def at(self) -> str:
        """The place to show: `path` or `path#L10`, with secrets masked."""
        return shown(mask(self.path)) + (f"#L{self.line}" if self.line else "")


def check_file(path: str, data: bytes, allow: Collection[str] = ()) -> tuple[Refusal, ...]:
    """The reasons not to write `data` at `path`; `allow` has the fingerprints of secrets that the user
    allows. Conflict markers are no reason: what a person typed must not be lost."""
    in_name = scan(path.removesuffix(".md"))
    reasons = [("secret", f"its path holds a secret ({s.rule})", 0, s.fingerprint) for s in in_name]
    if reason := unsafe(path):
        reasons.append(("path", f"its path {reason}", 0, ""))
    if len(data) > MAX_BYTES:
        reasons.append(("size", f"it is larger than {MAX_BYTES // 1024} KiB", 0, ""))
    else:
        readable = utf16(data)
        if is_note(path) and b"\0" in data and not readable:
            line = len(lines_of(decode(data[: data.index(b"\0") + 1])))
            reasons.append(("schema", "it is not text, it has NUL bytes", line, ""))
        inside = scan(readable or decode_exactly(data))
        reasons += [("secret", f"it holds a secret ({s.rule})", s.line, s.fingerprint) for s in inside]
    return tuple(Refusal(path, *rest) for rest in reasons if not rest[3] or rest[3] not in allow)


def refuse(refusals: Sequence[Refusal]) -> None:
    """Raise Refused for the first refusal, saying how many more there are; return when there is none."""
    if not refusals:
        return
    first = refusals[0]
    more = f" (and {len(refusals) - 1} more)" if len(refusals) > 1 else ""
    fingerprints = dict.fromkeys(r.fingerprint for r in refusals if r.fingerprint)
    raise Refused(f"{first.at} was not written: {first.message}{more}", _advice(first.rule, fingerprints))


def _advice(rule: str, fingerprints: Iterable[str]) -> str:
    match rule:
        case "secret":
            quoted = ", ".join(f'"{fingerprint}"' for fingerprint in fingerprints)
            return (
                "Say where the secret is kept, not what it is; if it is none, let it through in config.toml: "
                f"[secrets] allow_secret = [{quoted}]"
            )
        case "path":
            return "Choose another name."
        case "size":
            return "Split it, or keep it elsewhere and note where."
        case _:
            return "Save it as UTF-8 text."


RULE = "deletions"

MANY_FILES = 10
FEW_FILES, SHARE_OF_FILES = 5, 0.2
FEW_ENTRIES, SHARE_OF_ENTRIES = 10, 0.3


@dataclass(frozen=True)
class HandEdit:
    """A file before and after it was changed without a command; None for no file."""

    before: bytes | None
    after: bytes | None


def mass_deletions(edits: Mapping[str, HandEdit], files: Callable[[], int]) -> list[Refusal]:
    """The files to hold back until a person confirms: more than 10, or at least 5 and over a fifth of all
    (`files`); notes of which at least 10 entries and over 30 % are gone. What moved within `edits` is not."""
    gone = [p for p, e in edits.items() if e.before is not None and e.after is None]
    shrunk = {p: left_out for p, e in edits.items() if _is_many(*(left_out := _left_out(p, e)))}
    if len(gone) < FEW_FILES and not shrunk:
        return []
    elsewhere: Counter[str] = Counter()
    for path, edit in edits.items():
        elsewhere.update(units_of(path, edit.after) - units_of(path, edit.before))
    gone = [p for p in gone if not _is_moved(p, edits, elsewhere)]
    held = []
    if len(gone) > MANY_FILES or (len(gone) >= FEW_FILES and len(gone) > SHARE_OF_FILES * files()):
        held += [Refusal(p, RULE, f"one of {len(gone)} files that are gone") for p in gone]
    for path, (missing, were) in shrunk.items():
        lost = missing - elsewhere
        edited = _edited(path, edits[path]) if _is_many(lost, were) else 0
        if _is_many(lost, were, edited):
            held.append(Refusal(path, RULE, f"{lost.total() - edited} of its {were} entries are gone"))
    return held


def messages_of(refusals: Sequence[Refusal]) -> list[str]:
    """One message for all files that are held back as a mass deletion, and one for each other refusal."""
    lines = [f"{r.at} is held back: {r.message}" for r in refusals if r.rule != RULE]
    held = [r for r in refusals if r.rule == RULE]
    if held:
        first, more = held[0], f" and {len(held) - 1} more" if len(held) > 1 else ""
        lines.append(
            f"{first.at}{more} held back, because so much is rarely deleted on purpose ({first.message}): "
            "`ctxrepo sync --accept deletions` confirms it, `ctxrepo doctor --fix` brings it back"
        )
    return lines


def _is_moved(path: str, edits: Mapping[str, HandEdit], elsewhere: Counter[str]) -> bool:
    data = edits[path].before
    units = units_of(path, data)
    return units <= elsewhere if units else any(e.after == data for e in edits.values())


def _left_out(path: str, edit: HandEdit) -> tuple[Counter[str], int]:
    """(entries of a note whose text is no longer in it, how many it had)"""
    if edit.before is None or edit.after is None or not is_note(path):
        return Counter(), 0
    if edit.before.count(b"\n") + 1 < FEW_ENTRIES or edit.after.startswith(edit.before.rstrip()):
        return Counter(), 0  # told without reading them: most edits add to a note
    before = units_of(path, edit.before)
    return before - units_of(path, edit.after), before.total()


def _is_many(lost: Counter[str], were: int, edited: int = 0) -> bool:
    number = lost.total() - edited
    return number >= FEW_ENTRIES and number > SHARE_OF_ENTRIES * were


def _edited(path: str, edit: HandEdit) -> int:
    """How many entries were reworded rather than deleted."""
    before, after = (entries_of(path, decode(data or b"")) for data in (edit.before, edit.after))
    return sum(1 for old, new in moved(before, after) if normalised(old.text) != normalised(new.text))
