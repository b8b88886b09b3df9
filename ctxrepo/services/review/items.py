"""All that waits for a person, in one list: what is held back, conflicts, proposals, entries in doubt, and
what reviewers struck out of this machine's work, until somebody has seen it."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from ctxrepo.domain.dream.steps import outline
from ctxrepo.domain.git.commit import writers_of
from ctxrepo.domain.guard import refusals
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.note import decode, decode_exactly
from ctxrepo.domain.project.layout import CONFLICTS, shown
from ctxrepo.domain.records.conflict_copy import read_copy
from ctxrepo.domain.records.decision import (
    OF_CONFLICT,
    OF_DECLINED,
    OF_DELETIONS,
    OF_PROPOSAL,
    ItemToDecide,
    Kind,
    of_doubt,
    of_proposal,
)
from ctxrepo.domain.records.proposal import OF_CUE, Change, Proposal
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.secrets import mask
from ctxrepo.errors import NotFound, Unreadable
from ctxrepo.lazy import dataclass
from ctxrepo.services.inbox.staging import path_of_proposal, waiting
from ctxrepo.storage.cache.computed import all_doubts
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.clone.reffiles import DECLINED, DISMISSED
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.committed_records import HeldBack, KeptOutFile

if TYPE_CHECKING:  # they load pygit2 and what merges, which most who ask don't need
    from ctxrepo.services.history.conflict_copies import Conflict
    from ctxrepo.storage.objects.store import Objects

_MOST_TEXTS = 20

_MOST_CHARACTERS = 2000
"""Characters that are shown of a line that can't be read."""

_MOST_COMMITS = 5_000
"""Commits that are looked through for those that brought the files."""

_MOST_OF_SIDE = 300
"""Commits of both sides that are looked through for whoever wrote a version."""

_NOBODY = Origin("")
"""Where no commit tells."""


def items_to_decide(memory: Memory) -> list[ItemToDecide]:
    """All items, those of each kind oldest first. Files are held back as the last commit judged them."""
    items = (
        *_held_back(memory),
        *_conflicts(memory),
        *_declined(memory),
        *_proposals(memory),
        *_doubts(memory),
    )
    return [item.masked() for item in items]


def _held_back(memory: Memory) -> Iterator[ItemToDecide]:
    """An item for each file. Only the first have their texts: thousands may have been deleted."""
    oldest_first = sorted(KeptOutFile(memory.state.held).read().held, key=lambda hold: hold.since)
    saves = memory.journal.read() if oldest_first else ()
    writers = {save.path: _who(save.by.agent, memory.host) for save in saves}
    by_path: dict[str, list[HeldBack]] = {}
    for hold in oldest_first:
        by_path.setdefault(hold.refusal.path, []).append(hold)
    for number, (path, reasons) in enumerate(by_path.items()):
        has_texts = number < _MOST_TEXTS
        first, *_ = reasons
        is_deletion = first.refusal.rule == refusals.RULE
        kind: Kind = "deletion" if is_deletion else "held"
        # Paths that hold secrets may be alike once these are masked, so the fingerprint is added.
        masked = mask(path)
        refused = [hold.refusal for hold in reasons]
        yield ItemToDecide(
            id=f"{kind}:{masked}" + ("" if masked == path else f":{first.refusal.fingerprint}"),
            kind=kind,
            path=masked,
            why="; ".join(f"line {r.line}: {r.message}" if r.line else r.message for r in refused),
            before=_committed(memory, path) if has_texts else None,
            after=_on_disk(memory, first) if has_texts else None,
            since=_moment(first.since),
            who=writers.get(path, memory.host),
            host=memory.host,
            choices=OF_DELETIONS if is_deletion else (),
        )


def _conflicts(memory: Memory) -> Iterator[ItemToDecide]:
    if not memory.worktree.exists(CONFLICTS):
        return
    from ctxrepo.services.history.conflict_copies import conflicts

    our_conflicts = [conflict for conflict in conflicts(memory) if conflict.copy]
    origins = _origins_of_versions(memory, our_conflicts)
    for conflict in our_conflicts:
        assert conflict.copy
        kept, other = origins.get(conflict.file, (_NOBODY, _NOBODY))
        yield ItemToDecide(
            id=f"conflict:{conflict.id}",
            kind="conflict",
            path=conflict.copy.path,
            why="two machines changed it, and this is the version that was not kept",
            before=conflict.copy.kept or None,
            after=conflict.copy.other,
            since=conflict.since,
            who=mask(_who(other.agent, other.host)),
            host=mask(other.host),
            who_before=mask(_who(kept.agent, kept.host)),
            choices=OF_CONFLICT,
        )


def _origins_of_versions(memory: Memory, conflicts: "Sequence[Conflict]") -> dict[str, tuple[Origin, Origin]]:
    """File -> where the version that was kept comes from and where the one that lost does; _NOBODY for one of
    which no commit tells it. The file itself names nobody: it is the same whoever merged."""
    origins: dict[str, tuple[Origin, Origin]] = {}
    files = {conflict.file for conflict in conflicts if conflict.since}
    if not files or memory.head is None:
        return origins
    objects = memory.objects
    for commit in islice(objects.recent(memory.head), _MOST_COMMITS):
        tree, *before = map(objects.tree_of, (commit, *objects.parents(commit)))
        if objects.key_at(tree, CONFLICTS) in [objects.key_at(parent, CONFLICTS) for parent in before]:
            continue
        for file in sorted(files):
            if objects.key_at(tree, file) and not any(objects.key_at(parent, file) for parent in before):
                origins[file] = _origins(objects, commit, file)
        files -= origins.keys()
        if not files:
            break
    return origins


def _origins(objects: "Objects", commit: str, file: str) -> tuple[Origin, Origin]:
    """Where the versions come from that this commit found apart."""
    copy = read_copy(file, objects.find(objects.tree_of(commit), file) or b"")
    if copy is None:
        return _NOBODY, _NOBODY

    @cache
    def lines_of(commit_id: str) -> str:
        return _lines(decode_exactly(objects.find(objects.tree_of(commit_id), copy.path) or b""))

    def origin(text: str) -> Origin:
        lines = _lines(text)
        for step in islice(_before(objects, commit), _MOST_OF_SIDE) if text else ():
            if lines in lines_of(step) and not any(lines in lines_of(was) for was in objects.parents(step)):
                return _writer(objects, step)
        # What no other commit has met the branch on its way there.
        return _writer(objects, commit) if text and len(objects.parents(commit)) < 2 else _NOBODY

    return origin(copy.kept), origin(copy.other)


def _before(objects: "Objects", commit: str) -> Iterator[str]:
    """The commits on both sides of a merge; before any other commit those that led there."""
    match objects.parents(commit):
        case [ours, theirs]:
            return chain(objects.new_commits(ours, theirs), objects.new_commits(theirs, ours))
        case [parent]:
            return objects.recent(parent)
    return iter(())


def _lines(text: str) -> str:
    """Whole lines, as a merge compares them."""
    return "\n" + text.replace("\r\n", "\n").strip("\n") + "\n"


def _writer(objects: "Objects", commit: str) -> Origin:
    writers = writers_of(objects.header_of(commit).message)
    host = writers.hosts[0] if len(writers.hosts) == 1 else ""
    return Origin(host, agent=", ".join(writers.agents))


def _declined(memory: Memory) -> Iterator[ItemToDecide]:
    for review in declined(memory):
        yield ItemToDecide(
            id=f"declined:{review.name}",
            kind="declined",
            path=review.ref,
            why="reviewers struck this out of what was sent",
            after="\n".join(review.entries),
            since=_committed_at(memory, review.ref),
            host=memory.host,
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
        path = mask(path_of_proposal(memory, proposal))
        yield ItemToDecide(
            id=f"proposal:{proposal.id}",
            kind="proposal",
            path=path,
            why=mask(_wish(proposal)),
            before=proposal.was or None,
            after=(outline(proposal.text) if proposal.verb == "tidy" else proposal.text) or None,
            since=_moment(proposal.ts),
            who=mask(_who(proposal.agent, proposal.host)),
            host=mask(proposal.host),
            choices=of_proposal(proposal.change, path),
            change=proposal.change,
            key=mask(proposal.key),
        )


def _doubts(memory: Memory) -> Iterator[ItemToDecide]:
    """The entries that are given with a doubt; that one is never used hurries nobody."""
    cache = memory.cache
    for doubt in (doubt for doubt in cache.ask(all_doubts) if doubt.remark):
        entry, newer = cache.ask(entry_by_id, doubt.entry), cache.ask(entry_by_id, doubt.by_entry)
        yield ItemToDecide(
            id=f"doubt:{doubt.name}",
            kind="doubt",
            path=doubt.path,
            why=f"{doubt.words}: {normalised(entry.entry.text) if entry else ''}",
            before=entry.entry.text if entry else None,
            after=newer.entry.text if newer else None,
            since=_moment(doubt.since),
            host=memory.host,
            choices=of_doubt(doubt),
        )


def _who(agent: str, host: str) -> str:
    return " on ".join(filter(None, (agent, host)))


_WISHES: dict[Change, str] = {
    "add": "somebody proposed to remember this",
    "set": "somebody proposed to remember this",
    "replace": "somebody proposed to remember this",
    "edit": "an agent edited this entry",
    "remove": "an agent removed this entry",
    "add note": "an agent added this note",
    "edit note": "an agent changed this note as a whole",
    "remove note": "an agent removed this note",
    "tidy": "an agent proposes to tidy up these entries, all in one go",
}


def _wish(proposal: Proposal) -> str:
    """What a proposal is about, in a line."""
    details = [
        f"in {proposal.category}" if proposal.category else "",
        f"under the key {proposal.key}" if proposal.key else "",
        " ".join(f"#{tag}" for tag in proposal.tags),
        f"in place of ^{proposal.supersedes}" if proposal.supersedes else "",
        "pinned" if proposal.pin else "",
        f"as long as it holds that {', '.join(proposal.holds)}" if proposal.holds else "",
        f"below {proposal.heading}" if proposal.heading else "",
        f"^{proposal.entry}" if proposal.entry else "",
    ]
    wish = "an agent added this entry to the note" if proposal.verb == "add" else _WISHES[proposal.change]
    if proposal.id.startswith(OF_CUE):
        wish = "you said this in a session; accepting it has every session know"
    return ", ".join(filter(None, (wish, *details)))


def _committed_at(memory: Memory, ref: str) -> datetime | None:
    """When what reviewers left out was put aside."""
    tip = memory.objects.ref(ref)
    return memory.objects.header_of(tip).when if tip else None


def _committed(memory: Memory, path: str) -> str | None:
    data = memory.objects.find(memory.head_tree, path)
    return None if data is None else decode(data)


def _on_disk(memory: Memory, hold: HeldBack) -> str | None:
    """The file as it is; None where it is gone or too odd to be read."""
    try:
        data = None if hold.refusal.rule == "path" else memory.worktree.read(hold.refusal.path)
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
