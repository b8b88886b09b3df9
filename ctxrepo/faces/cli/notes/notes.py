"""Commands about notes and entries: remember, new, read, list."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import TYPE_CHECKING, Annotated

from ctxrepo.domain.project.paths import shown
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli.answer import answer, open_desk, require_memory
from ctxrepo.faces.cli.notes.tables import delivery_table, folder_table
from ctxrepo.faces.cli.options import (
    argument,
    json_option,
    option,
    scope_option,
    tag_option,
    target_argument,
    text_of,
)

if TYPE_CHECKING:
    import typer

    from ctxrepo.services.notes.list_notes import NoteSummary
    from ctxrepo.services.notes.remember import RememberResult

_WAS = 100
"""Characters of what was replaced that are shown."""


def register(app: typer.Typer) -> None:
    for command in (remember, new, read):
        app.command()(command)
    app.command("list")(list_notes)


def remember(
    text: Annotated[
        str,
        argument(metavar="TEXT", help="The fact, in one sentence; - reads facts from standard input."),
    ],
    note: Annotated[
        str, option("--note", "-n", metavar="PATH", help="The note to add it to; created if it is missing.")
    ] = "",
    scope: Annotated[str, scope_option()] = "",
    category: Annotated[
        str,
        option(
            "--category", "-c", metavar="C", help="Its kind, e.g. gotcha: it is added to topics/gotcha.md."
        ),
    ] = "",
    tag: Annotated[list[str] | None, tag_option()] = None,
    key: Annotated[str, option("--key", metavar="K", help="Replace the scope's entry with this key.")] = "",
    supersedes: Annotated[
        str,
        option("--supersedes", metavar="ID", help="The entry that no longer holds: ^ID or PATH#L9."),
    ] = "",
    with_id: Annotated[
        bool, option("--id", help="Give it an id that stays when its text is edited.")
    ] = False,
    pin: Annotated[bool, option("--pin", help="Pin it: sessions are shown it before other entries.")] = False,
    stage: Annotated[
        bool, option("--stage", help="Only propose it: it waits in the inbox, and no session is given it.")
    ] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Write one fact into memory.

    It survives a crash from the moment this returns, and is committed within seconds. With - the facts are
    read from standard input, one for each bullet or line, and written together.

    Example: ctxrepo remember "Tests need redis on port 6380" --category gotcha --tag tests
    """
    from ctxrepo.app.notes import notes
    from ctxrepo.domain.note.compose import facts_of
    from ctxrepo.domain.project.target import parse_entry, parse_target

    desk = open_desk()
    former = parse_entry(supersedes) if supersedes else None
    there = parse_target(note) if note else None
    texts = [text]
    if text == "-":
        require_memory(desk)  # before somebody types for nothing
        texts = facts_of(text_of("-"))
        if not texts:
            raise UsageError("there is nothing to remember: standard input is empty", "One fact a line.")
    request = notes.RememberRequest(
        texts, there, scope, category, tag or (), key, former, with_id=with_id, pin=pin, is_proposal=stage
    )

    def said(done: RememberResult) -> str:
        verb = _verb(done, is_keyed=bool(key))
        return f"{verb}: {notes.shown_id(done)} {done.at}{_instead(done)}"

    if text == "-":
        answer(desk, notes.remember_all, request, json, lambda done: "\n".join(map(said, done)))
    else:
        answer(desk, notes.remember, request, json, said)


def _verb(result: RememberResult, *, is_keyed: bool) -> str:
    if result.existing:
        return "known already, pinned now" if result.pinned else "known already"
    if result.staged:
        return "proposed"
    verb = "replaced" if is_keyed and result.replaced else "remembered"
    return f"{verb}, pinned" if result.pinned else verb


def _instead(result: RememberResult) -> str:
    """The replaced text, in brackets."""
    was = ", ".join(f'"{shown(text, _WAS)}"' for text in result.was)
    return f" (was {was})" if was else ""


def new(
    path: Annotated[str, argument(metavar="PATH", help="[SCOPE:]PATH of the new note.")],
    description: Annotated[
        str,
        option("--description", "-d", metavar="D", help="One line: what is found in it. A template has one."),
    ] = "",
    tag: Annotated[list[str] | None, tag_option()] = None,
    source: Annotated[str, option("--from", metavar="FILE", help="Its body; - is standard input.")] = "",
    template: Annotated[
        str, option("--template", metavar="NAME", help="What it begins as: memory, task or user.")
    ] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Write a new note, which needs a description or a template.

    Example: ctxrepo new topics/release.md -d "How we release" --from -
    """
    from ctxrepo.app.notes.notes import new
    from ctxrepo.domain.project.target import parse_target
    from ctxrepo.services.notes.new import NewNoteRequest

    if not (description or template):
        raise UsageError("a new note needs --description or --template", "One line: what is found in it?")
    body = text_of(source)
    request = NewNoteRequest(parse_target(path), description, tag or (), body, template)
    answer(open_desk(), new, request, json, lambda made: f"new: {made.path}")


def read(target: Annotated[str, target_argument()], json: Annotated[bool, json_option()] = False) -> None:
    """Print a note, or one entry of it.

    Example: ctxrepo read topics/release.md
    """
    from ctxrepo.app.notes.notes import ReadRequest, read
    from ctxrepo.domain.project.target import parse_target

    desk = open_desk()
    answer(desk, read, ReadRequest(parse_target(target)), json, lambda reading: reading.text.rstrip("\n"))


def list_notes(
    folder: Annotated[
        str, argument(metavar="FOLDER", help="Only notes below it, e.g. topics or archive.")
    ] = "",
    scope: Annotated[str, scope_option()] = "",
    tag: Annotated[list[str] | None, tag_option()] = None,
    long: Annotated[
        bool, option("--long", "-l", help="Show sizes, and how a session is given each note.")
    ] = False,
    tree: Annotated[bool, option("--tree", help="Show folders, and how much is in each.")] = False,
    depth: Annotated[
        int | None, option("--depth", metavar="N", min=0, help="Only so many folders down.")
    ] = None,
    limit: Annotated[int | None, option("--limit", metavar="N", min=1, help="Most notes to show.")] = None,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """List the notes in view: the project's and the global ones.

    The archive is listed by its name only. With --long each note has its bytes, its entries, whether it is
    pinned, and whether a session that starts here is given it whole, cut, by a line of the index, or not.

    Example: ctxrepo list topics --long
    """
    from ctxrepo.app.notes import notes

    if tree and (tag or folder or long or limit):
        raise UsageError("--tree counts all notes", "Leave out all but --scope and --depth.")

    def nothing(found: Sized) -> Iterator[str]:
        if not found and not json:
            asked = f"no note is below {folder}" if folder else "no note has these tags" if tag else ""
            yield asked or "no notes yet: `ctxrepo remember` writes the first"

    desk, request = open_desk(), notes.ListRequest(folder, scope, tag or (), depth, limit)
    if tree:
        answer(desk, notes.list_folders, request, json, folder_table)
    elif long:
        answer(desk, notes.list_delivered, request, json, delivery_table, nothing)
    else:
        answer(desk, notes.list_notes, request, json, lambda found: "\n".join(map(_line, found)), nothing)


def _line(note: NoteSummary) -> str:
    tags = f" [{', '.join(note.tags)}]" if note.tags else ""
    mark = " (pinned)" * note.pinned + (f"  ({note.problem})" if note.problem else "")
    return f"{note.place} — {note.description or 'No description'}{tags}{mark}"
