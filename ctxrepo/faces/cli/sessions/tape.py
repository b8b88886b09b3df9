"""Commands about the tape: tape info, list, search, read, delete, reset, tree, digest."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from ctxrepo.faces.cli.answer import answer, answer_with_past, open_desk
from ctxrepo.faces.cli.options import argument, json_option, option, scope_option, without_verb
from ctxrepo.faces.cli.sessions.digest import digest

group = typer.Typer()

Which = Annotated[str, option("--session", metavar="ID", help="Which session, by the beginning of its id.")]
Scope = Annotated[str, scope_option()]
Json = Annotated[bool, json_option()]
After = Annotated[str, option("--after", metavar="A", help="Only what was said after this anchor.")]
Until = Annotated[str, option("--until", metavar="A", help="Only what was said up to this anchor.")]
Last = Annotated[bool, option("--last", help="Only what was said after the last anchor.")]
Start = Annotated[str, option("--from", metavar="D", help="Only from this date or moment on.")]
End = Annotated[str, option("--to", metavar="D", help="Only up to this date or moment.")]
Types = Annotated[
    list[str] | None,
    option("--type", metavar="T", help="Messages of `user`, `agent` or with a `tool`; may be given again."),
]
Limit = Annotated[int, option("--limit", metavar="N", help="Most to show, 1 to 100.")]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="tape")
    group.command()(digest)


@group.callback(invoke_without_command=True)
def tape(context: typer.Context, json: Json = False) -> None:
    """Find anchors that sessions left, and what was said between them.

    An anchor is named by its ^id or its name, or by a part of its name: then the newest is meant. Without
    --session, what is about one session is about the one that the command is run in, else the newest one of
    the project. What was said is read from the agents' own transcripts on this machine. Without a verb it
    says how the tape stands.

    Example: ctxrepo tape
    """
    without_verb(context, lambda as_json: info(json=as_json), json=json)


@group.command()
def info(session: Which = "", scope: Scope = "", json: Json = False) -> None:
    """Say how the tape stands, and how many messages came since the session's last anchor.

    Example: ctxrepo tape info
    """
    from ctxrepo.app.sessions.tape import TapeRequest, tape_info
    from ctxrepo.faces.cli.sessions.tape_text import info_text

    answer(open_desk(), tape_info, TapeRequest(None, scope, session), json, info_text)


@group.command("list")
def list_tape(
    limit: Limit = 20,
    context: Annotated[
        int, option("--context", metavar="N", help="Messages before and after each, 0 to 5.")
    ] = 1,
    kind: Annotated[
        str,
        option("--type", metavar="T", help="Only those that were left on purpose (`handoff`), or `session`."),
    ] = "",
    session: Which = "",
    scope: Scope = "",
    json: Json = False,
) -> None:
    """List the anchors of the project, or with --session those of one session, the newest last.

    Example: ctxrepo tape list --type handoff
    """
    from ctxrepo.app.sessions.tape import ListWanted, TapeRequest, list_tape
    from ctxrepo.faces.cli.sessions.tape_text import list_text

    wanted = ListWanted(_one_of("--type", kind, ("", "handoff", "session")), limit, context)
    answer_with_past(open_desk(), list_tape, TapeRequest(wanted, scope, session), json, list_text)


@group.command()
def search(
    query: Annotated[
        str, argument(metavar="QUERY", help='Words that must all be there, or "words that stand together".')
    ] = "",
    where: Annotated[
        list[str] | None,
        option(
            "--in",
            metavar="WHERE",
            help="The `session` or the `project`; only `anchors`, or only `messages`. May be given again.",
        ),
    ] = None,
    types: Types = None,
    limit: Limit = 20,
    context: Annotated[
        int, option("--context", metavar="N", help="Messages before and after each anchor, 0 to 5.")
    ] = 0,
    after: After = "",
    until: Until = "",
    last: Last = False,
    start: Start = "",
    end: End = "",
    name: Annotated[str, option("--name", metavar="N", help="Anchors with this in their name.")] = "",
    anchor_type: Annotated[
        str, option("--anchor-type", metavar="T", help="Anchors of this type: `handoff` or `session`.")
    ] = "",
    summary: Annotated[
        str, option("--summary", metavar="S", help="Anchors with this in their summary.")
    ] = "",
    purpose: Annotated[
        str, option("--purpose", metavar="P", help="Anchors with this in their purpose.")
    ] = "",
    keyword: Annotated[
        list[str] | None,
        option("--keyword", metavar="K", help="Anchors with this keyword; may be given again."),
    ] = None,
    session: Which = "",
    scope: Scope = "",
    json: Json = False,
) -> None:
    """Search anchors and messages of the session, and where it has none, those of the project.

    Messages are found by their words in any form, and by the commands and files that tools were given, as
    with `search --in sessions`; here they come by time, the newest last. Anchors are found by parts of words.
    --from and --to bound the search, or --after and --until, or --last, or --after alone. Where several of
    these are given, the first in this order counts.
    Where --name, --anchor-type, --summary, --purpose or --keyword says which anchors, only anchors are
    searched unless --in says `messages`.

    Example: ctxrepo tape search "retry limit" --in project --from 2026-11-18
    """
    from ctxrepo.app.sessions.tape import TapeRequest, search_tape
    from ctxrepo.domain.tape.tape import AnchorFilter
    from ctxrepo.faces.cli.sessions.tape_text import search_text
    from ctxrepo.services.tape.look import KINDS, TapeSearch
    from ctxrepo.services.tape.stretch import AnchorRange, StretchRequest

    _one_of("--anchor-type", anchor_type, ("", "handoff", "session"))
    fitting = AnchorFilter((), name, anchor_type, summary, purpose, tuple(keyword or ()))
    usual = KINDS if fitting == AnchorFilter() else ("anchors",)
    places = [_one_of("--in", place, (*_PLACES, *KINDS)) for place in where or ()]
    wanted = TapeSearch(
        query=query,
        kinds=[kind for kind in KINDS if kind in places] or usual,
        where=_one_place([place for place in places if place in _PLACES]),
        types=_types(types),
        limit=limit,
        context=context,
        stretch=StretchRequest(AnchorRange(after, until), last, start, end),
        anchors=fitting,
    )
    answer_with_past(open_desk(), search_tape, TapeRequest(wanted, scope, session), json, search_text)


@group.command()
def read(
    after: After = "",
    until: Until = "",
    last: Last = False,
    start: Start = "",
    end: End = "",
    around: Annotated[str, option("--around", metavar="A", help="What was said around this anchor.")] = "",
    scan: Annotated[str, option("--scan", metavar="TEXT", help="Only messages with this in them.")] = "",
    types: Types = None,
    limit: Limit = 20,
    chars: Annotated[
        int, option("--chars", metavar="N", help="Characters of each message, 80 or more; 0: all of it.")
    ] = 300,
    where: Annotated[
        str,
        option("--in", metavar="WHERE", help="What was said in the `session`, or in all of the `project`."),
    ] = "",
    session: Which = "",
    scope: Scope = "",
    json: Json = False,
) -> None:
    """Read what was said, the newest last.

    Which stretch of the tape is read, --after and --until say, or --from and --to, or --after alone, or
    --last. Where several of these are given, the first in this order counts.

    Example: ctxrepo tape read --last
    """
    from ctxrepo.app.sessions.tape import TapeRequest, read_tape
    from ctxrepo.faces.cli.sessions.tape_text import read_text
    from ctxrepo.services.tape.look import ReadTape
    from ctxrepo.services.tape.stretch import AnchorRange, StretchRequest

    wanted = ReadTape(
        stretch=StretchRequest(AnchorRange(after, until), last, start, end),
        around=around,
        text=scan,
        types=_types(types),
        limit=limit,
        chars=chars,
        where=_one_of("--in", where, ("", *_PLACES)),
    )
    said = partial(read_text, is_whole=chars == 0)
    answer_with_past(open_desk(), read_tape, TapeRequest(wanted, scope, session), json, said)


@group.command()
def delete(
    ids: Annotated[list[str], argument(metavar="ID", help="The ^id of an anchor; several may be named.")],
    scope: Scope = "",
    json: Json = False,
) -> None:
    """Delete anchors, on every machine.

    `ctxrepo undo` brings them back, but for those that were on this machine only. When one of the ids is no
    anchor's, none is deleted.

    Example: ctxrepo tape delete ^3f2a9c1b
    """
    from ctxrepo.app.sessions.tape import TapeRequest, delete_from_tape
    from ctxrepo.faces.cli.sessions.tape_text import deleted_text

    answer(open_desk(), delete_from_tape, TapeRequest(tuple(ids), scope), json, deleted_text)


@group.command()
def reset(
    session: Annotated[
        str | None,
        option("--session", metavar="ID", help="Only anchors of this session; `this`: of the current one."),
    ] = None,
    scope: Scope = "",
    json: Json = False,
) -> None:
    """Begin a new tape: all anchors of the project go into its archive, where nobody reads them.

    They stand in a folder `archive` beside the tape, and `ctxrepo undo` brings them back.
    Those that stood on this machine only (where sessions began, or all with `tape.sync` = `none`) are put
    aside on this machine, in the file that it names; `undo` doesn't bring those back.

    Example: ctxrepo tape reset
    """
    from ctxrepo.app.sessions.tape import TapeRequest, reset_tape
    from ctxrepo.errors import UsageError
    from ctxrepo.faces.cli.sessions.tape_text import reset_text

    if session is not None and not session.strip():  # a variable that is empty, and all would go
        raise UsageError("--session names no session", "Without --session the whole tape is reset.")
    answer(open_desk(), reset_tape, TapeRequest(None, scope, session or ""), json, reset_text)


@group.command()
def tree(session: Which = "", scope: Scope = "", json: Json = False) -> None:
    """Draw a session as a tree: a line for each message, its branches, and its anchors.

    Example: ctxrepo tape tree --session 528a2201
    """
    from ctxrepo.app.sessions.tape import TapeRequest, tape_tree
    from ctxrepo.faces.cli.sessions.tape_text import tree_text

    answer_with_past(open_desk(), tape_tree, TapeRequest(None, scope, session), json, tree_text)


_PLACES = ("session", "project")


def _one_place(places: list[Any]) -> Any:
    """The one place that is searched, '' for the usual one; UsageError for two."""
    from ctxrepo.errors import UsageError

    if len(set(places)) > 1:
        raise UsageError("--in takes session or project, not both", "The project has the session in it.")
    return places[0] if places else ""


def _types(given: list[str] | None) -> tuple[str, ...]:
    return tuple(_one_of("--type", one, ("user", "agent", "tool")) for one in given or ())


def _one_of(name: str, given: str, known: tuple[str, ...]) -> Any:
    """What was given, when it is one of those that there are; UsageError for anything else."""
    from ctxrepo.errors import UsageError

    if given not in known:
        raise UsageError(f"{name} {given!r} is unknown: it can be {', '.join(filter(None, known))}")
    return given
