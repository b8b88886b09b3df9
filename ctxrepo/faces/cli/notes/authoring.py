"""Commands that write into notes: remember, new, edit, open, log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.notes.browsing import DayRequest
from ctxrepo.app.notes.writing import TargetRequest
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import INTERRUPTED, CtxrepoError, NotFound, UsageError
from ctxrepo.faces.cli import editor, output, table
from ctxrepo.faces.cli.answer import ExitWith, answer, open_desk, perform, require_memory
from ctxrepo.faces.cli.ask import ask, confirm
from ctxrepo.faces.cli.options import OWN, SCOPE, TAG, USUAL, argument, command, option, text_of
from ctxrepo.services.notes.requests import Fact, NewNoteRequest

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.note.note import Note
    from ctxrepo.services.notes.edit import EditResult
    from ctxrepo.services.notes.remember import RememberResult

_WAS = 100
"""Characters of what was replaced that are shown."""
_TODAY = "`ctxrepo log` prints the log of today."
_BACK = "`ctxrepo log --undo` takes the last line back."
_MEANT = {
    **dict.fromkeys(("show", "print", "cat", "today", "status"), _TODAY),
    **dict.fromkeys(("undo", "remove", "delete", "rm", "clear", "pop"), _BACK),
    **dict.fromkeys(("list", "ls", "days"), "`ctxrepo log --list` prints the days that have a log."),
    "yesterday": "`ctxrepo log --date yesterday` prints it.",
    "add": "`ctxrepo log TEXT` adds a line.",
    "edit": "`ctxrepo edit ^ID` changes a line.",
}
"""Words that read like a verb of `log` -> what does it."""


def register(app: typer.Typer) -> None:
    for each in (remember, new, edit, log):
        app.command()(each)
    app.command("open")(open_note)


@command(
    text="TEXT",
    note="--note -n PATH",
    scope=SCOPE,
    category="--category -c C",
    tags=TAG,
    key="--key K",
    supersedes="--supersedes ID",
    with_id="--id",
    pin=USUAL,
    is_proposal="--stage",
)
def remember(request: Fact, json: bool = False) -> None:
    """Write one fact into memory.

    It survives a crash from the moment this returns, and is committed within seconds. With - the facts are
    read from standard input, one for each bullet or line, and written together.

    Example: ctxrepo remember "Tests need redis on port 6380" --category gotcha --tag tests
    """
    from ctxrepo.app.notes import writing
    from ctxrepo.domain.note.compose import facts_of

    def said(result: RememberResult) -> str:
        verb = _verb(result, is_keyed=bool(request.key))
        return f"{verb}: {writing.shown_id(result)} {result.at}{_instead(result)}"

    desk = open_desk()
    if request.text != "-":
        answer(desk, writing.remember, request, json, said)
        return
    require_memory(desk)  # before somebody types for nothing
    facts = [replace(request, text=text) for text in facts_of(text_of("-"))]
    if not facts:
        raise UsageError("there is nothing to remember: standard input is empty", "One fact a line.")
    answer(desk, writing.remember_all, facts, json, lambda results: "\n".join(map(said, results)))


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


@command(
    target="PATH", description="--description -d D", tags=TAG, body="--from FILE", template="--template NAME"
)
def new(request: NewNoteRequest, json: bool = False) -> None:
    """Write a new note, which needs a description or a template.

    Example: ctxrepo new topics/release.md -d "How we release" --from -
    """
    from ctxrepo.app.notes.writing import new

    if not (request.description or request.template):
        raise UsageError("a new note needs --description or --template", "One line: what is found in it?")
    request = replace(request, body=text_of(request.body))
    answer(open_desk(), new, request, json, lambda made: f"new: {made.path}")


@command(target=USUAL)
def edit(
    request: TargetRequest,
    old: Annotated[
        str, option("--old", metavar="A", help="The passage to replace; it must stand there once.")
    ] = "",
    new: Annotated[str | None, option("--new", metavar="B", help="What it becomes; may be empty.")] = None,
    source: Annotated[
        str, option("--from", metavar="FILE", help="Replace all of it; - is standard input.")
    ] = "",
    if_hash: Annotated[
        str,
        option("--if-hash", metavar="H", help="Only while the note has this hash: see read --json."),
    ] = "",
    json: bool = False,
) -> None:
    """Change a passage of a note or entry, or all of it.

    Everything else stays as it is, to the byte. At a terminal and without options your editor opens with the
    note, or with the entry alone.

    Example: ctxrepo edit topics/release.md --old "on Fridays" --new "on Tuesdays"
    """
    from ctxrepo.app.notes.writing import edit
    from ctxrepo.services.notes.edit import EditRequest, Passage, Whole

    if not (old or source or if_hash) and new is None and editor.at_terminal():
        _edit_by_hand(request, json)
        return
    is_passage = bool(old) and new is not None
    if is_passage == bool(source) or (not is_passage and (old or new is not None)):
        raise UsageError("say what to change: --old A --new B, or --from FILE", "One of the two.")
    change = Passage(old, new or "") if is_passage else Whole(text_of(source))
    answer(open_desk(), edit, EditRequest(request.target, change, if_hash), json, _edited)


def _edit_by_hand(request: TargetRequest, json: bool) -> None:
    """Open the note, or the text of the entry, in the user's editor."""
    from ctxrepo.app.notes.browsing import find
    from ctxrepo.app.notes.writing import edit
    from ctxrepo.domain.project.target import Target
    from ctxrepo.services.notes.edit import EditRequest, Whole

    desk = open_desk()
    reading = perform(desk, find, request).value
    if reading.entry is None:
        _in_editor(desk, reading.note.path, json)
        return
    before = f"{reading.entry.text}\n".replace("\r\n", "\n")
    text, file = editor.edit_text(editor.editor_of(desk), before, desk.env)
    if text == before:
        output.done(json, {"changed": False}, f"unchanged: ^{reading.entry.id} {reading.entry.at}")
    else:
        change = EditRequest(Target(entry_id=reading.entry.id), Whole(text))
        try:
            answer(desk, edit, change, json, _edited)
        except CtxrepoError as error:
            raise type(error)(error.message, f"{error.hint} What you wrote is in {file}.".strip()) from error
    file.unlink()
    file.parent.rmdir()


def _edited(result: EditResult) -> str:
    name = f"^{result.id} " if result.id else ""
    text = f"{'edited' if result.changed else 'unchanged'}: {name}{result.at}"
    if result.gone:
        entries = output.counted(len(result.gone), "entry is", "entries are")
        text += f"; {entries} gone, `ctxrepo undo` brings back what was there"
    return text


@command(target=USUAL)
def open_note(request: TargetRequest, json: bool = False) -> None:
    """Open a note in your editor.

    What you changed is committed when the editor ends. The editor is git's: GIT_EDITOR, `core.editor` of your
    own configuration, VISUAL, EDITOR, vi. Where none is set and nobody is at a terminal, the path of the file
    is printed. A note that isn't there is made when you say yes.

    Example: ctxrepo open topics/release.md
    """
    from ctxrepo.app.notes.browsing import find_file

    desk = open_desk()
    try:
        path = perform(desk, find_file, request).value
    except NotFound as error:
        if not request.target.path or request.target.lines:
            raise
        path = _made(desk, request, error)
    _in_editor(desk, path, json)


def _in_editor(desk: Desk, path: str, json: bool) -> None:
    """Open the note at `path` and commit what becomes of it."""
    from ctxrepo.app.notes.writing import FileRequest, commit_file

    file = desk.memory.root / path
    program = editor.editor_of(desk)
    data = {"path": path, "file": str(file), "editor": program, "changed": False}
    if not program:
        output.done(json, data, str(file))
        return
    before = desk.memory.worktree.read(path)
    code = editor.edit_file(program, file, desk.env)
    changed = desk.memory.worktree.read(path) != before
    if changed:
        perform(desk, commit_file, FileRequest(path))
    if code:
        raise CtxrepoError(f"{program} ended with {code}", f"The note is {file}.")
    output.done(json, data | {"changed": changed}, f"{'edited' if changed else 'unchanged'}: {path}")


def _made(desk: Desk, request: TargetRequest, error: NotFound) -> str:
    """The path of a note that is made now, if somebody at the terminal wants that."""
    from ctxrepo.app.notes.writing import new
    from ctxrepo.domain.note.compose import about

    asked = request.target
    if not editor.at_terminal():
        name = f"{asked.scope}:{asked.path}" if asked.scope else asked.path
        hint = f'{error.hint} `ctxrepo new {name} -d "..."` makes one.'.strip()
        raise NotFound(error.message, hint) from error
    output.notice(f"{error.message}. {error.hint}".strip())
    if not confirm(f"Make {asked.path}?"):
        raise ExitWith(INTERRUPTED)
    stem = asked.path.rpartition("/")[2].removesuffix(".md")
    description = ask("What is found in it, in one line", about(stem))
    return perform(desk, new, NewNoteRequest(asked, description)).value.path


@command(text=OWN, scope=SCOPE, day="--date DAY")
def log(
    request: DayRequest,
    text: Annotated[
        list[str] | None, argument(metavar="TEXT", help="What was done, found or decided.")
    ] = None,
    days: Annotated[bool, option("--list", help="Print the days that have a log.")] = False,
    undo: Annotated[bool, option("--undo", help="Take back the last line that was logged.")] = False,
    json: bool = False,
) -> None:
    """Write a line into today's log; without a text print it.

    Today is the day where you are. It goes to daily/ in the scope, a note a day. One word that is the name
    of a command is not logged: say it in a sentence.

    Example: ctxrepo log "Moved the basket to Postgres; the tests pass"
    """
    if sum((bool(text), bool(request.day), days, undo)) > 1:
        raise UsageError(
            "a text, --date, --list and --undo go one at a time",
            "A line is always written into the log of today.",
        )
    from ctxrepo.app.notes import browsing, writing

    desk, scope = open_desk(), request.scope
    if undo:
        from ctxrepo.faces.cli.notes.relocating import undone

        answer(desk, writing.undo, writing.UndoRequest(only="log"), json, undone)
    elif days:
        answer(desk, browsing.list_days, browsing.ScopeRequest(scope), json, "\n".join)
    elif text:
        words = " ".join(text)
        _require_sentence(words)
        line = writing.LogRequest(words, scope)
        answer(desk, writing.log, line, json, lambda entry: f"logged: ^{entry.id} {entry.at}")
    else:
        answer(desk, browsing.read_day, request, json, _day)


def _require_sentence(text: str) -> None:
    """UsageError for a word that was meant as a command: nobody would find it in the log."""
    word = text.strip().casefold()
    instead = _MEANT.get(word, "")
    if instead or word in table.read().commands:
        raise UsageError(
            f"`log {word}` would write the word {word} into today's log",
            f"{instead or '`ctxrepo log` prints the log of today.'} To log it, say it in a sentence.",
        )


def _day(note: Note | None) -> str:
    return note.body.strip("\r\n") if note else "nothing is logged today"
