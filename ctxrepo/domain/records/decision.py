"""Items to decide: whatever waits for a person, in one shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Literal

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.note.entry import normalised
from ctxrepo.domain.note.frontmatter import split
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.records.proposal import Change
from ctxrepo.domain.secrets import mask
from ctxrepo.lazy import dataclass

Kind = Literal["held", "deletion", "conflict", "declined", "proposal", "doubt"]
"""held: a file that the write guard keeps out of commits. deletion: one of more than is likely, kept out too.
conflict: a version that lost a merge. declined: what reviewers struck out. proposal: it waits for a yes.
doubt: an entry that may hold no longer."""

Verb = Literal[
    "accept-deletions", "restore-files", "keep-current", "keep-other", "keep-both", "dismiss",
    "accept", "decline", "supersede", "forget", "verify",
]  # fmt: skip
"""What can be done about an item. The first two decide all deletions that wait, whichever item is named."""

Answer = Literal["yes", "no", "both"]
"""The answer to what waits: yes, it holds from now on; no, what holds now stays; or both hold."""


@dataclass(frozen=True)
class Choice:
    """One way to decide an item: for a menu, a key, a button, and as a command."""

    verb: Verb
    answer: Answer
    label: str
    """What it does, in a few words; `short` in one or two."""
    short: str
    past: str
    """What was done, before the words for what it was done to."""
    command: str
    """The command that carries it out, with {} for the name of the item."""
    undo: Literal["undo", ""] = "undo"
    """The operation that takes it back; '' for none."""
    asks: str = ""
    """What is asked before it is carried out, if anything."""


OF_DELETIONS = (
    Choice(
        "accept-deletions", "yes", "delete these files on all machines", short="delete",
        past="deleted on all machines:", command="ctxrepo sync --accept deletions",
        asks="Delete all files that wait for it, on all machines?",
    ),
    Choice(
        "restore-files", "no", "put the deleted files back", short="put back",
        past="put back", command="ctxrepo doctor --fix", undo="",
    ),
)  # fmt: skip
OF_CONFLICT = (
    Choice(
        "keep-current", "no", "keep the current version and drop the other one", short="keep current",
        past="kept the current version of", command="ctxrepo conflicts resolve {} --keep kept",
    ),
    Choice(
        "keep-other", "yes", "replace the current version with the other one", short="take other",
        past="took the other version of", command="ctxrepo conflicts resolve {} --keep other",
    ),
    Choice(
        "keep-both", "both", "add the other version below the current one", short="keep both",
        past="kept both versions of", command="ctxrepo conflicts resolve {} --keep both",
    ),
)  # fmt: skip
OF_DECLINED = (
    Choice(
        "dismiss", "no", "take what was declined off the list", short="dismiss",
        past="taken off the list:", command="ctxrepo declined dismiss {}", undo="",
    ),
)  # fmt: skip
OF_PROPOSAL = (
    Choice("accept", "yes", "remember what is proposed", "accept", "accepted", "ctxrepo inbox accept {}"),
    Choice(
        "decline", "no", "take the proposal off the list", short="decline",
        past="declined", command="ctxrepo inbox decline {}",
    ),
)  # fmt: skip
OF_DOUBT = (
    Choice(
        "supersede", "yes", "let the newer entry hold in its place", short="replace",
        past="superseded an entry of", command="ctxrepo inbox accept {}",
    ),
    Choice("forget", "yes", "forget the entry", "forget", "forgot an entry of", "ctxrepo inbox accept {}"),
    Choice("verify", "no", "say that it holds", "holds", "verified an entry of", "ctxrepo inbox decline {}"),
)  # fmt: skip
"""Of a doubt that another entry raises the first and the last, of any other the last two."""


def of_doubt(doubt: Doubt) -> tuple[Choice, ...]:
    """The choices of an entry in doubt."""
    replaces, forgets, holds = OF_DOUBT
    return (replaces if doubt.by_entry else forgets, holds)


def of_proposal(change: Change, path: str) -> tuple[Choice, ...]:
    """The choices of a proposal that is to do this in the note at `path`."""
    accept, decline = OF_PROPOSAL
    verb, *what = change.split()
    if verb in ("edit", "remove") or what:
        accept = replace(accept, label=f"{verb} the {what[0] if what else 'entry'}")
    if change == "remove note":
        accept = replace(accept, asks=f"Remove {path}, as was proposed, on all machines?")
    return (accept, decline)


@dataclass(frozen=True)
class Effect:
    """What a decision does to an entry: `was` is '' for one that is added, `now` for one that is removed, and
    both where nothing of a note changes but its frontmatter, headings or order."""

    path: str
    was: str
    now: str

    @property
    def line(self) -> str:
        """The effect on one line, as `undo` shows it, with the text that was replaced."""
        was, now = (shown(normalised(text[: 4 * _MOST_SHOWN]), _MOST_SHOWN) for text in (self.was, self.now))
        if was and now:
            return f'~ {now} (was "{was}")'
        return f"+ {now}" if now else f"- {was}" if was else f"~ {self.path}"


_MOST_SHOWN = 200
"""Characters that a line shows of a text."""


@dataclass(frozen=True)
class ItemToDecide:
    """One thing that waits for a person. Secrets in its texts are masked."""

    id: str
    """`kind:name`; no two items have the same one."""
    kind: Kind
    path: str
    """The file that it is about, or the ref for what was declined."""
    why: str
    """What waits, in a line."""
    before: str | None = None
    """The text that holds now; None where there is none, or where too many files are held back."""
    after: str | None = None
    """The text that waits; None where the file is gone, or where too many are held back."""
    since: datetime | None = None
    """The moment since which it waits; None where that isn't known."""
    who: str = ""
    """Who wrote the text that waits, as `agent on host` or `host`; '' where that isn't known."""
    host: str = ""
    """The machine of `who`."""
    who_before: str = ""
    """Who wrote the text that holds now, in the same form."""
    choices: tuple[Choice, ...] = ()
    """What can be done about it; () where the file has to be edited."""
    change: Change | None = None
    """What a proposal is to do; None for any other kind, and for a line that can't be read."""
    key: str = ""
    """The key that a proposal sets."""
    obstacle: str = ""
    """Why a proposal can't be accepted as things are now, if it was tried."""

    @property
    def name(self) -> str:
        """The id without the kind, as the operations that decide the item take it."""
        return self.id.partition(":")[2]

    def choice(self, word: Verb | Answer) -> Choice | None:
        """The choice with this verb or answer; None where the item doesn't offer it."""
        return next((choice for choice in self.choices if word in (choice.verb, choice.answer)), None)

    @property
    def can_be_reworded(self) -> bool:
        """Whether it can be accepted with another text, as a proposal that adds or changes an entry can."""
        has_text = self.change in ("add", "set", "replace", "edit") and bool(self.after)
        return has_text and self.choice("accept") is not None

    @property
    def words(self) -> str:
        """How what waits begins, in a short line."""
        return self.line(_WORDS)

    def line(self, most: int) -> str:
        """What a proposal is to do, and the text that waits, in at most so many characters on one line; of an
        item without a text of its own why it waits."""
        text = self.after or self.before or ""
        if not text or self.kind not in ("proposal", "conflict", "declined"):
            return shown(self.why, most)
        if self.change and self.change.endswith(" note"):
            text = split(text)[1].strip() or self.path
        beginning = normalised(text.lstrip()[: 4 * most])
        deed = " ".join(filter(None, (self.change, self.key)))
        return shown(f"{deed}: {beginning}" if deed else beginning, most)

    def masked(self) -> ItemToDecide:
        """The item without secrets in its texts."""
        before, after = (text and mask(text) for text in (self.before, self.after))
        return replace(self, before=before, after=after, why=mask(self.why), obstacle=mask(self.obstacle))

    def difference(self, most: int) -> Sequence[str]:
        """At most so many lines of a unified diff, without file names, from the text that holds to the one
        that waits; with only one of them all its lines, and with neither none."""
        from difflib import unified_diff  # `status` counts items and shows none

        before, after = ((text or "").splitlines() for text in (self.before, self.after))
        lines: Iterable[str] = islice(unified_diff(before, after, lineterm=""), 2, None)
        if not before or not after:
            lines = (f"{'+' if after else '-'}{line}" for line in after or before)
        some = [line[:_WIDEST].rstrip("\r") for line in islice(lines, most + 1)]
        return [*some[:most], "…"] if some[most:] else some


_WIDEST = 1000
"""Characters of a line of a difference."""

_WORDS = 70
"""Characters of an item that a list shows."""


def command(item: ItemToDecide, choice: Choice) -> str:
    """The command that carries out a choice."""
    return choice.command.replace("{}", item.name)


def commands(item: ItemToDecide) -> list[str]:
    """The commands that decide an item; none where its file has to be edited."""
    lines = [command(item, choice) for choice in item.choices]
    if item.can_be_reworded:
        lines.insert(1, f"ctxrepo inbox edit {item.name}")
    return lines
