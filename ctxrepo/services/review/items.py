"""All that waits for a person, in one list: what is held back, conflicts, proposals, and what reviewers
struck out of this machine's work, until somebody has seen it."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from ctxrepo.domain.guard import refusals
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.records.decision import (
    OF_CONFLICT,
    OF_DECLINED,
    OF_DELETIONS,
    OF_PROPOSAL,
    ItemToDecide,
    Kind,
    of_proposal,
)
from ctxrepo.domain.records.proposal import Change, Proposal
from ctxrepo.domain.secrets import mask
from ctxrepo.errors import NotFound, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.history.conflict_copies import conflicts
from ctxrepo.services.inbox.staging import path_of_proposal, waiting
from ctxrepo.storage.clone.reffiles import DECLINED, DISMISSED
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.committed_records import HeldBack, KeptOutFile

_MOST_TEXTS = 20

_MOST_CHARACTERS = 2000
"""Characters that are shown of a line that can't be read."""


def items_to_decide(memory: Memory) -> list[ItemToDecide]:
    """All items, those of each kind oldest first. Files are held back as the last commit judged them."""
    items = (*_held_back(memory), *_conflicts(memory), *_declined(memory), *_proposals(memory))
    return [item.masked() for item in items]


def _held_back(memory: Memory) -> Iterator[ItemToDecide]:
    """An item for each file. Only the first have their texts: thousands may have been deleted."""
    oldest_first = sorted(KeptOutFile(memory.state.held).read().held, key=lambda held: held.since)
    saves = memory.journal.read() if oldest_first else ()
    writers = {save.path: " on ".join(filter(None, (save.by.agent, memory.host))) for save in saves}
    by_path: dict[str, list[HeldBack]] = {}
    for held in oldest_first:
        by_path.setdefault(held.refusal.path, []).append(held)
    for number, (path, reasons) in enumerate(by_path.items()):
        has_texts = number < _MOST_TEXTS
        first, *_ = reasons
        is_deletion = first.refusal.rule == refusals.RULE
        kind: Kind = "deletion" if is_deletion else "held"
        # Paths that hold secrets may be alike once these are masked, so the fingerprint is added.
        masked = mask(path)
        refused = [held.refusal for held in reasons]
        yield ItemToDecide(
            id=f"{kind}:{masked}" + ("" if masked == path else f":{first.refusal.fingerprint}"),
            kind=kind,
            path=masked,
            why="; ".join(f"line {r.line}: {r.message}" if r.line else r.message for r in refused),
            before=_committed(memory, path) if has_texts else None,
            after=_on_disk(memory, first) if has_texts else None,
            since=_moment(first.since),
            who=writers.get(path, memory.host),
            choices=OF_DELETIONS if is_deletion else (),
        )


def _conflicts(memory: Memory) -> Iterator[ItemToDecide]:
    for conflict in conflicts(memory):
        if conflict.copy is None:
            continue
        yield ItemToDecide(
            id=f"conflict:{conflict.id}",
            kind="conflict",
            path=conflict.copy.path,
            why="two machines changed it, and this is the version that was not kept",
            before=conflict.copy.kept or None,
            after=conflict.copy.other,
            since=conflict.since,
            choices=OF_CONFLICT,
        )


def _declined(memory: Memory) -> Iterator[ItemToDecide]:
    for review in declined(memory):
        yield ItemToDecide(
            id=f"declined:{review.name}",
            kind="declined",
            path=review.ref,
            why="reviewers struck this out of what was sent",
            after="\n".join(review.entries),
            since=_committed_at(memory, review.ref),
            choices=OF_DECLINED,
        )


def _proposals(memory: Memory) -> Iterator[ItemToDecide]:
    for line in waiting(memory):
        proposal = line.proposal
        if proposal is None:
            yield ItemToDecide(
                id=f"proposal:{line.name}",
                kind="proposal",
                path=line.file,
                why="a line of the inbox that can't be read as a proposal",
                after=line.line[:_MOST_CHARACTERS],
                choices=OF_PROPOSAL[1:],
            )
            continue
        yield ItemToDecide(
            id=f"proposal:{proposal.id}",
            kind="proposal",
            path=mask(path_of_proposal(memory, proposal)),
            why=mask(_wish(proposal)),
            before=proposal.was or None,
            after=proposal.text or None,
            since=_moment(proposal.ts),
            who=mask(" on ".join(filter(None, (proposal.agent, proposal.host)))),
            choices=of_proposal(proposal.change),
            change=proposal.change,
            key=mask(proposal.key),
        )


_WISHES: dict[Change, str] = {
    "add": "somebody proposed to remember this",
    "set": "somebody proposed to remember this",
    "replace": "somebody proposed to remember this",
    "edit": "an agent edited this entry",
    "remove": "an agent removed this entry",
    "add note": "an agent added this note",
    "edit note": "an agent changed this note as a whole",
    "remove note": "an agent removed this note",
}


def _wish(proposal: Proposal) -> str:
    """What a proposal is about, in a line."""
    details = [
        f"in {proposal.category}" if proposal.category else "",
        f"under the key {proposal.key}" if proposal.key else "",
        " ".join(f"#{tag}" for tag in proposal.tags),
        f"in place of ^{proposal.supersedes}" if proposal.supersedes else "",
        "pinned" if proposal.pin else "",
        f"below {proposal.heading}" if proposal.heading else "",
        f"^{proposal.entry}" if proposal.entry else "",
    ]
    said = "an agent added this entry to the note" if proposal.verb == "add" else _WISHES[proposal.change]
    return ", ".join(filter(None, (said, *details)))


def _committed_at(memory: Memory, ref: str) -> datetime | None:
    """When what reviewers left out was put aside."""
    tip = memory.objects.ref(ref)
    return memory.objects.header_of(tip).when if tip else None


def _committed(memory: Memory, path: str) -> str | None:
    data = memory.objects.find(memory.head_tree, path)
    return None if data is None else decode(data)


def _on_disk(memory: Memory, held: HeldBack) -> str | None:
    """The file as it is; None where it is gone or too odd to be read."""
    try:
        data = None if held.refusal.rule == "path" else memory.worktree.read(held.refusal.path)
    except Unreadable:
        return None
    return None if data is None else decode(data)


def _moment(text: str) -> datetime | None:
    """A moment in ISO form, or a day; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment.astimezone()


@dataclass(frozen=True)
class DeclinedReview:
    """What one review left out: `entries` are `path: text`, kept in this clone under `ref`; `name` is the
    day, numbered from its second."""

    name: str
    ref: str
    entries: Sequence[str]


def declined(memory: Memory) -> list[DeclinedReview]:
    """All of it that the memory doesn't hold, oldest first: what somebody wrote again is listed no longer."""
    refs = memory.refs.all(DECLINED)
    if not refs:
        return []
    from ctxrepo.services.review.review import struck  # it loads what merges; most have nothing declined

    here = memory.head
    reviews = (
        DeclinedReview(
            ref.removeprefix(DECLINED), ref, [f"{p}: {text}" for p, text in struck(memory, tip, here)]
        )
        for ref, tip in sorted(refs.items())
    )
    return [review for review in reviews if review.entries]


def dismiss(memory: Memory, names: Sequence[str]) -> list[str]:
    """List these no more, or all; returns the refs that keep them. NotFound for a wrong name."""
    objects = memory.objects
    tips = {ref.removeprefix(DECLINED): tip for ref, tip in sorted(objects.refs(DECLINED).items())}
    for name in names:
        if name not in tips:
            raise NotFound(
                f"nothing declined is called {shown(name, 60)}", "`ctxrepo declined list` shows the names."
            )
    with memory.writing():
        for name in names or tips:
            objects.set_ref(DISMISSED + name, tips[name])
            objects.drop_ref(DECLINED + name)
    return [DISMISSED + name for name in names or tips]
