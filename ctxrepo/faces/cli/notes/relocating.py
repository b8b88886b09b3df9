"""Commands that move and remove notes and entries, confirm and enforce them, and bring them back: move,
archive, forget, touch, reinforce, verify, enforce, undo, restore."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.notes import enforcement, writing
from ctxrepo.app.notes.targets import EntriesRequest, TargetRequest
from ctxrepo.app.notes.writing import MoveRequest, UndoRequest
from ctxrepo.domain.formats.moment import times
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import parse_entry
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import USUAL, argument, command, json_option, option
from ctxrepo.services.notes.requests import EnforceRequest, RestoreRequest

if TYPE_CHECKING:
    from ctxrepo.services.history.restore import RestoreResult
    from ctxrepo.services.history.undoing import Undone
    from ctxrepo.services.notes.changing import TouchResult
    from ctxrepo.services.notes.confirming import Confirmed
    from ctxrepo.services.notes.enforcing import Enforcement
    from ctxrepo.services.notes.placing import Forgotten, MoveResult

_MOST_TEXT = 100
"""Characters of an entry that are shown of what was confirmed."""

_MOST_RULE = 200
"""Characters that are shown of a rule, and of its entry."""

_MOST_LINES = 12
"""Entries that are listed of what `undo` took back."""


@command(target=USUAL, to="DEST")
def move(request: MoveRequest, json: bool = False) -> None:
    """Move a note, or move an entry to another note."""
    answer(writing.move, request, json, lambda done: "\n".join([f"moved: {_way(done)}", *_few(done.lines)]))


@command(target=USUAL)
def archive(request: TargetRequest, json: bool = False) -> None:
    """Move a note or entry to the archive."""

    def words_of(result: MoveResult) -> str:
        name = f"^{result.id}" if result.id else result.before
        return f"archived: {_way(result)}; `ctxrepo restore {name}` brings it back"

    answer(writing.archive, request, json, words_of)


def _way(result: MoveResult) -> str:
    """From where to where; an entry with the id that it has there."""
    links = f" (links in {result.linking} more)" if result.linking else ""
    return f"{result.before} to {f'^{result.id} ' if result.id else ''}{result.at}{links}"


@command(target=USUAL)
def forget(request: TargetRequest, json: bool = False) -> None:
    """Remove a note or an entry."""

    def words_of(forgotten: Forgotten) -> str:
        name = f"^{forgotten.id}" if forgotten.id else forgotten.at
        text = f"\n  - {forgotten.text}" if forgotten.text else ""
        return f"forgotten: {forgotten.at}; `ctxrepo restore {name}` brings it back{text}"

    answer(writing.forget, request, json, words_of)


@command(target=USUAL)
def touch(request: TargetRequest, json: bool = False) -> None:
    """Confirm that a note is still true as of today."""

    def words_of(result: TouchResult) -> str:
        return f"touched: {result.path} {result.updated}" if result.updated else ""

    answer(writing.touch, request, json, words_of)


@command(targets="ENTRY...")
def reinforce(request: EntriesRequest, json: bool = False) -> None:
    """Say that an entry holds, once more."""

    def words_of(entries: list[Confirmed]) -> str:
        counts = (f"reinforced ({times(entry.reinforced)} by now): {_named(entry)}" for entry in entries)
        return "\n".join(counts)

    answer(writing.reinforce, request, json, words_of)


@command(targets="ENTRY...")
def verify(request: EntriesRequest, json: bool = False) -> None:
    """Confirm that you looked, and an entry is true."""

    def words_of(entries: list[Confirmed]) -> str:
        commits = (f" at {entry.code[:10]}" if entry.code else "" for entry in entries)
        return "\n".join(f"verified{at}: {_named(entry)}" for entry, at in zip(entries, commits, strict=True))

    answer(writing.verify, request, json, words_of)


def _named(entry: Confirmed) -> str:
    return f"^{entry.id} {entry.at}\n  - {shown(entry.text, _MOST_TEXT)}"


def enforce(
    entry: Annotated[str, argument(metavar="ENTRY", help="^ID or PATH#L9 of an entry.")] = "",
    rule: Annotated[
        list[str] | None, argument(metavar="RULE", help="The rule, e.g. block command kubectl apply.")
    ] = None,
    off: Annotated[bool, option("--off")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Hold agents to what an entry says; without ENTRY list the rules."""
    if not entry:
        if off:
            raise UsageError("--off is for an entry", "`ctxrepo enforce ^ID --off`.")
        answer(enforcement.list_rules, None, json, _rule_table)
        return
    request = EnforceRequest(parse_entry(entry), " ".join(rule or ()), off)
    answer(enforcement.enforce, request, json, lambda outcome: "\n".join(_rule_lines(outcome)))


def _rule_table(listed: Sequence[Enforcement]) -> str:
    return "\n".join(line for each in listed for line in _rule_lines(each)) or "no rule is enforced"


def _rule_lines(rule: Enforcement) -> Iterator[str]:
    yield f"^{rule.id} {rule.at}".rstrip() + ("" if rule.at else ", which is gone")
    yield f"  - {shown(rule.text, _MOST_RULE)}"
    if rule.held and not rule.is_approved:
        ends = f"; `ctxrepo enforce ^{rule.id} --off` in a terminal ends it"
        yield f"  {shown(rule.held, _MOST_RULE)}: enforced here, as it was approved{ends}"
    if rule.rule:
        waits = f"waits for a person: `ctxrepo enforce ^{rule.id}` in a terminal approves it"
        yield f"  {shown(rule.rule, _MOST_RULE)}: {'enforced here' if rule.is_approved else waits}"
    elif not rule.held:
        yield "  enforced no more"


@command(commit="COMMIT", redo=USUAL)
def undo(request: UndoRequest, json: bool = False) -> None:
    """Undo what the last command wrote, one step further each time."""
    answer(writing.undo, request, json, undone)


def undone(result: Undone, way: str = "undo") -> str:
    """What was taken back, with a line for each entry, and where it goes from here."""
    from ctxrepo.domain.guard.takeback import UNDO, named

    lines = _few(result.lines)
    verb, back, on, further = "undone", "undo --redo", way, result.next_undo
    if result.what.startswith(f"{UNDO} "):
        verb, back, on, further = "done again", way, "undo --redo", result.next_redo
    ways = f"`ctxrepo {back}` takes this back" + (f", `ctxrepo {on}` goes on with {further}" * bool(further))
    return "\n".join([f"{verb}: {named(result.what, result.saying)}", *lines, ways])


def _few(lines: Sequence[str]) -> list[str]:
    """The first lines of what a command did, and how many more there are."""
    more = len(lines) - _MOST_LINES
    return [f"  {line}" for line in lines[:_MOST_LINES]] + [f"  … {more} more"] * (more > 0)


@command(target=USUAL, to="--to DEST", version="--at COMMIT")
def restore(request: RestoreRequest, json: bool = False) -> None:
    """Restore a forgotten, archived or edited note or entry."""

    def words_of(result: RestoreResult) -> str:
        name = f"^{result.id} " if result.id else ""
        head = f"{'there already' if result.existing else 'restored'}: {name}{result.at}"
        way = ["`ctxrepo undo` takes this back"] if result.lines else []
        return "\n".join([head, *_few(result.lines), *way])

    answer(writing.restore, request, json, words_of)
