"""Commands about notes and entries: remember, new, read, list."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ctxrepo.domain.project.paths import shown
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.notes.tables import long_list, tree_list
from ctxrepo.faces.cli.options import Json, Scope, Tags, TargetWords, text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.list_notes import Listed
    from ctxrepo.services.notes.remember import Fact, Remembered

_WAS = 100
"""Characters of what was replaced that are shown."""


def register(app: typer.Typer) -> None:
    for command in (remember, new, read):
        app.command()(command)
    app.command("list")(list_notes)


def remember(
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", help="The fact, in one sentence; - reads facts from standard input."),
    ],
    note: Annotated[
        str, typer.Option("--note", "-n", metavar="PATH", help="The note it goes to; made when missing.")
    ] = "",
    scope: Scope = "",
    category: Annotated[
        str,
        typer.Option("--category", "-c", metavar="C", help="Its kind, e.g. gotcha; it goes to topics/."),
    ] = "",
    tag: Tags = None,
    key: Annotated[
        str, typer.Option("--key", metavar="K", help="Replace the scope's entry with this key.")
    ] = "",
    supersedes: Annotated[
        str,
        typer.Option("--supersedes", metavar="ID", help="The entry that no longer holds: ^ID or PATH#L9."),
    ] = "",
    with_id: Annotated[bool, typer.Option("--id", help="Write an id that edits can't change.")] = False,
    pin: Annotated[bool, typer.Option("--pin", help="Show its note first, always.")] = False,
    stage: Annotated[
        bool, typer.Option("--stage", help="Put it into the inbox; no session is given it.")
    ] = False,
    json: Json = False,
) -> None:
    """Write one fact into memory.

    It survives a crash from the moment this returns, and is committed within seconds. From standard input
    come as many facts as there are, in one write: each bullet, or each line, is one.

    Example: ctxrepo remember "Tests need redis on port 6380" --category gotcha --tag tests
    """
    from ctxrepo.domain.project.target import parse_entry, parse_target
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.remember import Fact
    from ctxrepo.services.reading.find import placed
    from ctxrepo.services.reading.resolve import entry_named

    run = Runtime()
    former = entry_named(run.memory, parse_entry(supersedes), run.project).id if supersedes else ""
    fact = Fact(
        text=text,
        note=placed(run.memory, parse_target(note), run.project) if note else None,
        scope=scope,
        category=category,
        tags=tuple(tag or ()),
        key=key,
        supersedes=former,
        with_id=with_id,
        pin=pin,
    )
    if text == "-":
        _remember_lines(run, fact, stage=stage, json=json)
        return
    result = _propose(run, fact) if stage else _remembered(run, [fact])[0]
    data, said = _told(result, is_keyed=bool(key))
    output.done(json, data, said)


def _remember_lines(run: Runtime, fact: Fact, *, stage: bool, json: bool) -> None:
    """Every fact of standard input, all or none."""
    from dataclasses import replace

    from ctxrepo.domain.note.compose import facts_of

    facts = [replace(fact, text=text) for text in facts_of(text_of("-"))]
    if not facts:
        raise UsageError("there is nothing to remember: standard input is empty", "One fact a line.")
    if len(facts) > 1 and (fact.key or fact.supersedes or stage):
        raise UsageError(
            f"{len(facts)} facts can't share a --key, a --supersedes or a --stage",
            "Remember such a fact by itself.",
        )
    results = [_propose(run, facts[0])] if stage else _remembered(run, facts)
    told = [_told(result, is_keyed=bool(fact.key)) for result in results]
    output.done(json, {"remembered": [data for data, _ in told]}, "\n".join(said for _, said in told))


def _remembered(run: Runtime, facts: Sequence[Fact]) -> list[Remembered]:
    from ctxrepo.services.notes.remember import remember_all

    results = remember_all(run.memory, facts, run.project, run.origin, run.now)
    run.wake()
    for near in dict.fromkeys(near for result in results for near in result.near):
        output.notice(f"^{near.id} at {near.at} says much the same; if it is the same fact, update that one")
    for rival in (rival for result in results for rival in result.rivals):
        output.notice(
            f"^{rival.id} at {rival.at} has this key too; `ctxrepo forget ^{rival.id}` if it is past"
        )
    if room := max(result.cut_to for result in results):
        output.notice(
            f"a prompt has room for {room} bytes, so this would come cut: say it in less, or make a "
            "note of it with `ctxrepo new`"
        )
    return results


def _propose(run: Runtime, fact: Fact) -> Remembered:
    from ctxrepo.services.notes.remember import stage

    result = stage(run.memory, fact, run.project, run.origin, run.now)
    run.wake()
    output.notice("no session is given a proposal; without --stage it is remembered, `ctxrepo undo` drops it")
    return result


def _told(result: Remembered, *, is_keyed: bool) -> tuple[dict[str, Any], str]:
    """The result as data and in words."""
    id_shown = result.id if result.staged else f"^{result.id}"
    said = f"{_done(result, is_keyed)}: {id_shown} {result.at}{_instead(result)}"
    near, rivals = ([{"id": f"^{n.id}", "at": n.at} for n in each] for each in (result.near, result.rivals))
    return {**asdict(result), "id": id_shown, "near": near, "rivals": rivals}, said


def _done(result: Remembered, is_keyed: bool) -> str:
    if result.existing:
        return "known already, pinned now" if result.pinned else "known already"
    if result.staged:
        return "proposed"
    verb = "replaced" if is_keyed and result.replaced else "remembered"
    return f"{verb}, pinned" if result.pinned else verb


def _instead(result: Remembered) -> str:
    """What the entry stands for now, in brackets."""
    was = ", ".join(f'"{shown(text, _WAS)}"' for text in result.was)
    return f" (was {was})" if was else ""


def new(
    path: Annotated[str, typer.Argument(metavar="PATH", help="[SCOPE:]PATH of the new note.")],
    description: Annotated[
        str,
        typer.Option(
            "--description", "-d", metavar="D", help="One line: what is found in it. A template has one."
        ),
    ] = "",
    tag: Tags = None,
    source: Annotated[
        str, typer.Option("--from", metavar="FILE", help="Its body; - is standard input.")
    ] = "",
    template: Annotated[
        str, typer.Option("--template", metavar="NAME", help="What it begins as: memory, task or user.")
    ] = "",
    json: Json = False,
) -> None:
    """Write a new note, which needs a description or a template.

    Example: ctxrepo new topics/release.md -d "How we release" --from -
    """
    from ctxrepo.domain.project.target import parse_target
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.new import new

    if not (description or template):
        raise UsageError("a new note needs --description or --template", "One line: what is found in it?")
    body, target = text_of(source), parse_target(path)
    run = Runtime()
    made = new(
        run.memory, target, description, tag or [], body, run.project, run.origin, run.now, template=template
    )
    run.wake()
    output.done(json, asdict(made), f"new: {made.path}")


def read(target: TargetWords, json: Json = False) -> None:
    """Print a note, or one entry of it.

    Example: ctxrepo read topics/release.md
    """
    from ctxrepo.domain.project.target import parse_target
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.reading.read import read
    from ctxrepo.services.usage.observe import note_read

    run = Runtime()
    asked = parse_target(target)
    reading = read(run.memory, asked, run.project, follows=True)
    note_read(run.memory, run.origin, reading, run.now.timestamp())
    note, entry = reading.note, reading.entry
    head = note.head
    text = entry.text if entry else note.text
    entries = [entry] if entry else note.entries
    name = asked.entry_id or asked.word
    if entry and name and not entry.id.startswith(name):
        output.notice(f"^{name} is ^{entry.id} now, at {entry.at}")
    data = {
        "path": note.path,
        "hash": reading.hash,
        "text": text,
        "description": head.description,
        "tags": head.tags,
        "created": head.created,
        "updated": head.updated,
        "entries": [{"id": f"^{e.id}", "at": e.at, "text": e.text} for e in entries],
    }
    output.done(json, data, text.rstrip("\n"))


def list_notes(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="Only notes below it, e.g. topics or archive.")
    ] = "",
    scope: Scope = "",
    tag: Tags = None,
    long: Annotated[
        bool, typer.Option("--long", "-l", help="Show sizes, and how a session is given each note.")
    ] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Show folders, and how much is in each.")] = False,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", min=0, help="Only so many folders down.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Most notes to show.")
    ] = None,
    json: Json = False,
) -> None:
    """List the notes in view: the project's and the global ones.

    The archive is listed by its name only. With --long each note has its bytes, its entries, whether it is
    pinned, and whether a session that starts here is given it whole, cut, by a line of the index, or not.

    Example: ctxrepo list topics --long
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.list_notes import below, list_notes, tagged

    if tree:
        if tag or folder or long or limit:
            raise UsageError("--tree counts all notes", "Leave out all but --scope and --depth.")
        tree_list(scope, depth, json)
        return
    run = Runtime()
    done = run.settle()
    notes = tagged(list_notes(run.memory, scope, run.project, done), tag or [])
    notes = below(notes, folder, depth)
    if limit and len(notes) > limit:
        output.notice(f"there are {len(notes)} notes; --limit shows more")
    if long:
        long_list(run, notes[:limit], json)
    else:
        lines = "\n".join(map(_line, notes[:limit]))
        output.done(json, {"notes": [vars(n) for n in notes[:limit]]}, lines)
    if not notes and not json:
        asked = f"no note is below {folder}" if folder else "no note has these tags" if tag else ""
        output.notice(asked or "no notes yet: `ctxrepo remember` writes the first")


def _line(note: Listed) -> str:
    tags = f" [{', '.join(note.tags)}]" if note.tags else ""
    mark = " (pinned)" * note.pinned + (f"  ({note.problem})" if note.problem else "")
    return f"{note.place} — {note.description or 'No description'}{tags}{mark}"
