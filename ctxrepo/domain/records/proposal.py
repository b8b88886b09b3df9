"""Proposals, which wait in the inbox for somebody's yes, a line of JSON each, and what was decided."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

from ctxrepo.domain.dream.steps import summary
from ctxrepo.domain.formats.jsonl import TOMBSTONE, objects, record, render, text_of, texts_in
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import decode, encode
from ctxrepo.domain.project.layout import INBOX
from ctxrepo.domain.text import blake2b
from ctxrepo.lazy import dataclass, lazy_pattern

VERSION = 1

STAGE, ACCEPT, DECLINE = "stage", "accept", "decline"
"""The operations that put a proposal into the inbox, and that take it out."""

OF_DREAM, OF_CUE = "dream-", "cue-"
"""How ids begin: of a dream's proposals, which tell when the last one was, and of those that a person's own
words led to, so that they are proposed once."""

ProposalVerb = Literal["remember", "add", "edit", "forget", "note", "tidy"]
"""remember: a fact, as the command takes it. add, edit, forget: an entry of a note that an agent edited
itself. note: a whole note that an agent made, removed, or changed in more than its entries. tidy: the steps
of a dream, a line each."""

Change = Literal["add", "set", "replace", "edit", "remove", "add note", "edit note", "remove note", "tidy"]
"""What a proposal is to do: add an entry, set a key, replace, edit or remove an entry; the same to a whole
note; or all steps of a dream."""

_VERBS: dict[str, ProposalVerb] = {verb: verb for verb in get_args(ProposalVerb)}
_TEXTS = (
    "text", "was", "note", "scope", "owner", "heading", "entry", "category", "key", "supersedes", "host",
    "agent", "session", "project",
)  # fmt: skip
_ID = lazy_pattern(r"[0-9A-Za-z][\w-]{0,63}")


@dataclass(frozen=True)
class Proposal:
    """One proposal. `note` is a path below the folder `scope`, '' where the category says which note.

    Of an entry that an agent edited, `entry` is its id and `was` its text before; an added one stands under
    `heading`. `owner` is the id of the project whose folder the scope was."""

    id: str
    ts: str
    verb: ProposalVerb
    text: str
    scope: str
    was: str = ""
    note: str = ""
    owner: str = ""
    heading: str = ""
    entry: str = ""
    category: str = ""
    tags: Sequence[str] = ()
    holds: Sequence[str] = ()
    key: str = ""
    supersedes: str = ""
    with_id: bool = False
    pin: bool = False
    host: str = ""
    agent: str = ""
    session: str = ""
    project: str = ""

    @property
    def change(self) -> Change:
        """What it is to do."""
        if self.verb == "remember":
            return "set" if self.key else "replace" if self.supersedes else "add"
        if self.verb == "note":
            return "remove note" if not self.text else "edit note" if self.was else "add note"
        return "remove" if self.verb == "forget" else self.verb

    @property
    def words(self) -> str:
        """What it says, on one line, for the history."""
        if self.verb == "note":
            return f"{self.change} {self.note or self.scope}"
        if self.verb == "tidy":
            return f"tidy {self.scope}: {summary(self.text)}"
        return normalised(self.text) if self.text else f"remove {normalised(self.was)}"


@dataclass(frozen=True)
class InboxLine:
    """An undecided line of the inbox's `file`: its `name`, the `line` itself, and the `proposal` that it is,
    None where it can't be read."""

    name: str
    file: str
    line: str
    proposal: Proposal | None

    @property
    def words(self) -> str:
        """What it says, on one line, for the history."""
        return self.proposal.words if self.proposal else normalised(self.line)


@dataclass(frozen=True)
class Verdict:
    """What somebody decided about a proposal: `entry` is the id of the entry that it became, `reason` why it
    was declined."""

    id: str
    ts: str
    decision: Literal["accepted", "declined"]
    host: str = ""
    agent: str = ""
    session: str = ""
    entry: str = ""
    reason: str = ""


def to_line(proposal: Proposal) -> str:
    """The proposal as one line, without a newline."""
    fields: dict[str, Any] = {"v": VERSION, "id": proposal.id, "ts": proposal.ts, "verb": proposal.verb}
    fields |= {name: value for name in _TEXTS if (value := getattr(proposal, name))}
    fields |= {name: list(some) for name in ("tags", "holds") if (some := getattr(proposal, name))}
    return render(fields | {name: True for name in ("with_id", "pin") if getattr(proposal, name)})


def inbox_lines(file: str, data: bytes) -> Iterator[InboxLine]:
    """The undecided lines of a file, in order. A line that is no proposal has a name made of its text, so
    that it can be declined all the same."""
    lines = [line for line in decode(data).split("\n") if line.strip()]
    records = [(line, record(line)) for line in lines]
    decided = {text_of(fields, "id") for _, fields in records if fields and TOMBSTONE in fields}
    names: set[str] = set()
    for line, fields in records:
        if fields and TOMBSTONE in fields:
            continue
        proposal = _proposal(fields or {})
        name = proposal.id if proposal else ""
        if not name or name in names:
            digest = blake2b(line.encode("utf-8", "replace"), digest_size=6).hexdigest()
            name, proposal = f"line-{digest}", None
        if name not in decided and name not in names:
            names.add(name)
            yield InboxLine(name, file, line, proposal)


def with_proposals(text: str, proposals: Sequence[Proposal]) -> str:
    """The file with those of these proposals that it hasn't yet. A new one takes the place of one that waits
    there, of the same session and about the very same text: only one of the two could be accepted."""
    lines = dict.fromkeys(line for line in text.split("\n") if line.strip())
    known = {text_of(fields, "id") for fields in map(record, lines) if fields}
    waiting = ((_subject(line.proposal), line) for line in inbox_lines("", encode(text)) if line.proposal)
    by_subject = {subject: line for subject, line in waiting if subject}
    new = [proposal for proposal in proposals if proposal.id not in known]
    for proposal in new:
        line, subject = to_line(proposal), _subject(proposal)
        if before := by_subject.get(subject):
            del lines[before.line]
            lines[render({"id": before.name, TOMBSTONE: True})] = None
        if subject:
            by_subject[subject] = InboxLine(proposal.id, "", line, proposal)
        lines[line] = None
    return "".join(f"{line}\n" for line in lines) if new else text


def _subject(proposal: Proposal) -> tuple[str, ...]:
    """The session that made a proposal, and the text that it would change; () where either is missing."""
    if proposal.verb not in ("edit", "forget", "note") or not proposal.session:
        return ()
    place = (proposal.scope, proposal.note, proposal.entry, proposal.was)
    return (proposal.agent, proposal.session, *place)


def decided(text: str, line: InboxLine, verdict: Verdict) -> str:
    """The file with a verdict in place of a line. It deletes the line on every other machine, too."""
    fields: dict[str, Any] = {"id": verdict.id, TOMBSTONE: True, "ts": verdict.ts}
    names = ("decision", "entry", "reason", "host", "agent", "session")
    fields |= {name: value for name in names if (value := getattr(verdict, name))}
    others = [other for other in text.split("\n") if other.strip() and other != line.line]
    return "".join(f"{other}\n" for other in (*others, render(fields)))


def verdicts(text: str) -> Iterator[Verdict]:
    """The verdicts in a file; other lines are skipped."""
    for fields in objects(text):
        decision = text_of(fields, "decision")
        if TOMBSTONE in fields and decision in ("accepted", "declined"):
            keys = ("id", "ts", "host", "agent", "session", "entry", "reason")
            texts = {key: text_of(fields, key) for key in keys}
            yield Verdict(decision="accepted" if decision == "accepted" else "declined", **texts)


def is_inbox(path: str) -> bool:
    """Whether the file at `path` holds proposals."""
    return path.startswith(f"{INBOX}/") and path.endswith(".jsonl")


def _proposal(fields: dict[str, Any]) -> Proposal | None:
    name, verb = text_of(fields, "id"), _VERBS.get(text_of(fields, "verb"))
    texts = {key: text_of(fields, key) for key in _TEXTS}
    has_text = bool(texts["text"].strip() or texts["was"].strip())
    if verb is None or not _ID.fullmatch(name) or not texts["scope"] or not has_text:
        return None
    values: dict[str, Any] = {key: fields.get(key) is True for key in ("with_id", "pin")} | texts
    tags, holds = (tuple(texts_in(fields.get(list_name))) for list_name in ("tags", "holds"))
    return Proposal(id=name, ts=text_of(fields, "ts"), verb=verb, tags=tags, holds=holds, **values)
