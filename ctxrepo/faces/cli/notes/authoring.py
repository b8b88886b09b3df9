"""Commands that write into notes, some of them in the user's editor: remember, new, edit, open, log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.notes import browsing, writing
from ctxrepo.app.notes.browsing import DayRequest
from ctxrepo.app.notes.targets import TargetRequest
from ctxrepo.domain.formats.moment import times
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import INTERRUPTED, CtxrepoError, NotFound, UsageError
from ctxrepo.faces.cli import editor, output, table
from ctxrepo.faces.cli.answer import ExitWith, answer, ask, confirm, open_desk, perform, require_memory
from ctxrepo.faces.cli.options import OWN, SCOPE, TAG, USUAL, argument, command, option, text_of
from ctxrepo.services.notes.requests import Fact, NewNoteRequest

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.notes.changing import EditResult
    from ctxrepo.services.notes.remarks import RememberResult

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


@command(
    text="TEXT...",
    note="--note -n PATH",
    scope=SCOPE,
    category="--category -c C",
    tags=TAG,
    key="--key K",
    supersedes="--supersedes ID",
    with_id="--id",
    pin=USUAL,
    holds="--holds CLAIM",
    is_proposal="--stage",
)
def remember(request: Fact, json: bool = False) -> None:
    """Save one fact to memory."""
    from ctxrepo.domain.note.compose import facts_of

    def words_of(result: RememberResult) -> str:
        verb = _verb(result, is_keyed=bool(request.key))
        was = ", ".join(f'"{shown(text, _WAS)}"' for text in result.was)
        return f"{verb}: {writing.shown_id(result)} {result.at}{f' (was {was})' if was else ''}"

    desk = open_desk()
    if request.text != "-":
        answer(writing.remember, request, json, words_of, desk=desk)
        return
    require_memory(desk)  # before somebody types for nothing
    facts = [replace(request, text=text) for text in facts_of(text_of("-"))]
    if not facts:
        raise UsageError("there is nothing to remember: standard input is empty", "One fact a line.")
    answer(writing.remember_all, facts, json, lambda results: "\n".join(map(words_of, results)), desk=desk)


def _verb(result: RememberResult, *, is_keyed: bool) -> str:
    if result.staged:
        return "proposed already" if result.existing else "proposed"
    if result.existing:
        again = f", reinforced ({times(result.reinforced)} by now)" if result.reinforced else ""
        return f"already in memory{again}{', pinned now' if result.pinned else ''}"
    verb = "replaced" if is_keyed and result.replaced else "remembered"
    return f"{verb}, pinned" if result.pinned else verb


@command(
    target="PATH", description="--description -d D", tags=TAG, body="--from FILE", template="--template NAME"
)
def new(request: NewNoteRequest, json: bool = False) -> None:
    """Create a note, with a description or from a template."""
    if not (request.description or request.template):
        raise UsageError("a new note needs --description or --template", "Say in one line what it is about.")
    request = replace(request, body=text_of(request.body))
    answer(writing.new, request, json, lambda note: f"new: {note.path}")


@command(target=USUAL)
def edit(
    request: TargetRequest,
    old: Annotated[str, option("--old", metavar="A")] = "",
    new: Annotated[str | None, option("--new", metavar="B")] = None,
    source: Annotated[str, option("--from", metavar="FILE")] = "",
    if_hash: Annotated[str, option("--if-hash", metavar="H")] = "",
    json: bool = False,
) -> None:
    """Edit a note or an entry: one passage, or the whole text."""
    from ctxrepo.services.notes.changing import EditRequest, Passage, Whole

    if not (old or source or if_hash) and new is None and editor.at_terminal():
        _edit_by_hand(request, json)
        return
    is_passage = bool(old) and new is not None
    if is_passage == bool(source) or (not is_passage and (old or new is not None)):
        raise UsageError("say what to change: --old A --new B, or --from FILE", "Give one of the two.")
    change = Passage(old, new or "") if is_passage else Whole(text_of(source))
    answer(writing.edit, EditRequest(request.target, change, if_hash), json, _edited)


def _edit_by_hand(request: TargetRequest, json: bool) -> None:
    """Open the note, or the text of the entry, in the user's editor."""
    from ctxrepo.domain.project.target import Target
    from ctxrepo.services.notes.changing import EditRequest, Whole

    desk = open_desk()
    reading = perform(desk, browsing.find, request).value
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
            answer(writing.edit, change, json, _edited, desk=desk)
        except CtxrepoError as error:
            raise type(error)(error.message, f"{error.hint} What you wrote is in {file}.".strip()) from error
    file.unlink()
    file.parent.rmdir()


def _edited(result: EditResult) -> str:
    was = f"^{result.was} is " if result.was else ""
    name = f"{was}^{result.id} " if result.id else ""
    text = f"{'edited' if result.changed else 'unchanged'}: {name}{result.at}"
    if result.gone:
        entries = output.counted(len(result.gone), "entry is", "entries are")
        text += f"; {entries} gone, `ctxrepo undo` brings back what was there"
    return text


@command(target=USUAL)
def open_note(request: TargetRequest, json: bool = False) -> None:
    """Open a note in your editor."""
    desk = open_desk()
    try:
        path = perform(desk, browsing.find_file, request).value
    except NotFound as error:
        if not request.target.path or request.target.lines:
            raise
        path = _made(desk, request, error)
    _in_editor(desk, path, json)


def _in_editor(desk: Desk, path: str, json: bool) -> None:
    """Open the note at `path` and commit what becomes of it."""
    from ctxrepo.domain.note.note import decode_exactly

    file = desk.memory.root / path
    program = editor.editor_of(desk)
    data = {"path": path, "file": str(file), "editor": program, "changed": False}
    if not program:
        output.done(json, data, str(file))
        return
    before = desk.memory.worktree.read(path)
    code = editor.edit_file(program, file, desk.env)
    text = f"unchanged: {path}"
    if desk.memory.worktree.read(path) != before:
        request = writing.EditorRequest(path, decode_exactly(before or b""))
        edited = perform(desk, writing.edit_by_hand, request).value
        data |= {"changed": True, "gone": [*edited.gone]}
        text = _edited(edited)
    if code:
        raise CtxrepoError(f"{program} ended with {code}", f"The note is {file}.")
    output.done(json, data, text)


def _made(desk: Desk, request: TargetRequest, error: NotFound) -> str:
    """The path of a note that is made now, if somebody at the terminal wants that."""
    from ctxrepo.domain.note.compose import about

    target = request.target
    if not editor.at_terminal():
        name = f"{target.scope}:{target.path}" if target.scope else target.path
        hint = f'{error.hint} `ctxrepo new {name} -d "..."` makes one.'.strip()
        raise NotFound(error.message, hint) from error
    output.notice(f"{error.message}. {error.hint}".strip())
    if not confirm(f"Make {target.path}?"):
        raise ExitWith(INTERRUPTED)
    stem = target.path.rpartition("/")[2].removesuffix(".md")
    description = ask("What is it about, in one line", about(stem))
    return perform(desk, writing.new, NewNoteRequest(target, description)).value.path


@command(text=OWN, scope=SCOPE, day="--date DAY")
def log(
    request: DayRequest,
    text: Annotated[list[str] | None, argument(metavar="TEXT")] = None,
    days: Annotated[bool, option("--list")] = False,
    undo: Annotated[bool, option("--undo")] = False,
    json: bool = False,
) -> None:
    """Add a line to today's log, or print the log."""
    if sum((bool(text), bool(request.day), days, undo)) > 1:
        raise UsageError(
            "a text, --date, --list and --undo go one at a time",
            "A line is always written into the log of today.",
        )
    if undo:
        from ctxrepo.faces.cli.notes.relocating import undone

        last = writing.UndoRequest(only="log")
        answer(writing.undo, last, json, lambda result: undone(result, "log --undo"))
    elif days:
        none = "no day has a log; `ctxrepo log TEXT` begins one"
        of_scope = browsing.ScopeRequest(request.scope)
        answer(browsing.list_days, of_scope, json, lambda days: "\n".join(days) or none)
    elif text:
        words = " ".join(text)
        _require_sentence(words)
        line = writing.LineRequest(words, request.scope)
        answer(writing.log, line, json, lambda entry: f"logged: ^{entry.id} {entry.at}")
    else:
        none = "nothing was logged today; `ctxrepo log TEXT` adds a line"
        answer(browsing.read_day, request, json, lambda note: note.body.strip("\r\n") if note else none)


def _require_sentence(text: str) -> None:
    """UsageError for a word that was meant as a command: nobody would find it in the log."""
    word = text.strip().casefold()
    instead = _MEANT.get(word, "")
    if instead or word in table.read().commands:
        raise UsageError(
            f"`log {word}` would write the word {word} into today's log",
            f"{instead or '`ctxrepo log` prints the log of today.'} To log it, say it in a sentence.",
        )
