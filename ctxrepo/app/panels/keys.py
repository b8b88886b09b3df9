"""What each key does about a row, and the command that does it too.

The page of keys and the help of the screen are made of `KEYS`."""

import shlex
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ctxrepo.app.panels.panel import PanelName, PanelRow
from ctxrepo.domain.records.decision import (
    OF_CONFLICT,
    OF_DECLINED,
    OF_DELETIONS,
    OF_DOUBT,
    OF_PROPOSAL,
    Answer,
    Choice,
    ItemToDecide,
    command,
)
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.domain.records.decision import Kind


@dataclass(frozen=True)
class KeyMeaning:
    """A key, where it works ('' everywhere), what it does, and the command that does the same; '' for what
    only moves about on the screen."""

    key: str
    where: str
    meaning: str
    command: str = ""


_KEY_OF: Mapping[Answer, str] = {"yes": "a", "no": "d", "both": "b"}
"""Yes, no and both lie on the same keys whatever waits."""

_ORDER = "adbe"


@dataclass(frozen=True)
class RowAction:
    """What a key does about a row, the command that does it too, and what is asked before, if anything."""

    key: str
    verb: str
    label: str
    command: str
    short: str
    """What it does in a word or two."""
    asks: str = ""


def actions_of(row: PanelRow) -> tuple[RowAction, ...]:
    """What can be done about a row, in the order in which it is offered."""
    if item := row.item:
        actions = [
            RowAction(_KEY_OF[c.answer], c.verb, c.label, command(item, c), c.short, c.asks)
            for c in item.choices
        ]
        if item.can_be_reworded:
            line = f"ctxrepo inbox edit {item.name}"
            actions.append(RowAction("e", "edit", "edit it, then accept it", line, "edit"))
        if item.kind in ("held", "conflict"):
            actions.append(_edit_note("the", item.path))
        return tuple(sorted(actions, key=lambda action: _ORDER.index(action.key)))
    if note := row.note:
        return (_edit_note("this", note.place),)
    if row.anchor:
        line, asks = f"ctxrepo tape delete ^{row.anchor}", "Delete this anchor on all machines?"
        return (RowAction("d", "delete-anchor", "delete this anchor", line, "delete", asks),)
    return ()


def _edit_note(which: str, path: str) -> RowAction:
    return RowAction("e", "edit-note", f"edit {which} note", f"ctxrepo edit {target_of(path)}", "edit")


def _decisions() -> Iterator[KeyMeaning]:
    """The keys of all choices that an item may offer."""
    kinds: Mapping[str, tuple[Kind, str, tuple[Choice, ...]]] = {
        "Inbox: proposals": ("proposal", "ID", OF_PROPOSAL),
        "Inbox: deletions": ("deletion", "", OF_DELETIONS),
        "Inbox: removed in a review": ("declined", "NAME", OF_DECLINED),
        "Inbox: entries in doubt": ("doubt", "ID", OF_DOUBT),
        "Conflicts": ("conflict", "ID", OF_CONFLICT),
    }
    for where, (kind, name, choices) in kinds.items():
        item = ItemToDecide(f"{kind}:{name}", kind, "", "")
        for choice in choices:
            yield KeyMeaning(_KEY_OF[choice.answer], where, choice.label, command(item, choice))
            if choice.verb == "accept":
                yield KeyMeaning("e", where, "edit it, then accept it", "ctxrepo inbox edit ID")


KEYS = (
    *sorted(_decisions(), key=lambda key: (key.where, _ORDER.index(key.key))),
    KeyMeaning("d", "Tape", "delete this anchor, once you said yes", "ctxrepo tape delete ID"),
    KeyMeaning("e", "Inbox, Conflicts, Notes", "edit it in your editor", "ctxrepo edit TARGET"),
    KeyMeaning("u", "", "undo the last thing decided here", "ctxrepo undo COMMIT"),
    KeyMeaning("space", "Inbox, Conflicts, Tape", "mark, for a key that takes many"),
    KeyMeaning("enter", "", "read at the right; of an anchor its place", "ctxrepo tape read --around ID"),
    KeyMeaning("escape", "", "back to the list; then without filter and marks"),
    KeyMeaning("/", "", "filter the list as you type", "ctxrepo search QUERY"),
    KeyMeaning("n N j k g G", "", "next, previous, down, up, first, last row"),
    KeyMeaning("1", "", "Inbox: what waits, but conflicts", "ctxrepo status"),
    KeyMeaning("2", "", "Conflicts", "ctxrepo conflicts list"),
    KeyMeaning("3", "", "Notes", "ctxrepo list"),
    KeyMeaning("4", "", "Tape", "ctxrepo tape list"),
    KeyMeaning("5", "", "Sessions", "ctxrepo session show"),
    KeyMeaning("6", "", "Health, and all machines", "ctxrepo doctor"),
    KeyMeaning("tab", "", "the next panel; shift+tab the one before"),
    KeyMeaning("left right", "Tape", "timeline, relations, statistics"),
    KeyMeaning("o", "", "write the page and open it", "ctxrepo review --html [FILE]"),
    KeyMeaning("r", "", "look again"),
    KeyMeaning("t", "", "light or dark"),
    KeyMeaning("?", "", "all keys"),
    KeyMeaning("q", "", "quit, once what was decided is done; ctrl+c at once"),
)


def why_not(panel: PanelName, row: PanelRow | None, key: str) -> str:
    """Why a key does nothing here, and what helps."""
    if row is None:
        return "the list is empty, so there is nothing to decide"
    offered = ", ".join(f"{action.key} {action.label}" for action in actions_of(row))
    if row.item and row.item.kind == "held":
        return f"{key} decides nothing here: what is held back is put right in its file; {offered}"
    if panel in ("sessions", "health"):
        return f"{key} decides nothing here: this panel only tells, with the commands that help"
    return f"{key} does nothing with this row; {f'it takes: {offered}' if offered else 'it only tells'}"


def target_of(path: str) -> str:
    """A path of the repository as a TARGET on a command line."""
    scope, _, rest = path.partition("/")
    return shlex.quote(f"{scope}:{rest}")
