"""Commands that look through notes: read, list, search, tags, links, export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, cast

from ctxrepo.app.notes import browsing, writing
from ctxrepo.app.notes.browsing import ExportRequest, ListRequest
from ctxrepo.app.notes.targets import TargetRequest
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer, answer_with_past, answer_with_view
from ctxrepo.faces.cli.options import (
    LIMIT,
    OWN,
    SCOPE,
    TAG,
    USUAL,
    argument,
    command,
    json_option,
    option,
    scope_option,
)

if TYPE_CHECKING:
    from ctxrepo.services.export.export_memory import ExportResult
    from ctxrepo.services.notes.changing import Tag
    from ctxrepo.services.reading.folder_sizes import FolderSize
    from ctxrepo.services.reading.links import Link, NoteLinks
    from ctxrepo.services.reading.searching import Hit, Mode


@command(target=USUAL)
def read(request: TargetRequest, json: bool = False) -> None:
    """Print a note or one of its entries."""
    answer(browsing.read, request, json, lambda reading: reading.text.rstrip("\n"))


@command(folder="FOLDER", scope=SCOPE, tags=TAG, long=OWN, tree=OWN, depth="--depth N", limit=LIMIT)
def list_notes(
    request: ListRequest,
    long: Annotated[bool, option("--long", "-l")] = False,
    tree: Annotated[bool, option("--tree")] = False,
    json: bool = False,
) -> None:
    """List the project's notes and the global ones."""
    folder, tags = request.folder, request.tags
    if tree and (tags or folder or long or request.limit):
        raise UsageError("--tree counts all notes", "Leave out all but --scope and --depth.")

    if tree:
        answer(browsing.list_folders, request, json, _folder_table)
    elif long:
        from ctxrepo.app.views.notes import delivery_view

        answer_with_view(browsing.list_delivered, request, json, lambda notes: delivery_view(notes, request))
    else:
        from ctxrepo.app.views.notes import list_view

        answer_with_view(browsing.list_notes, request, json, lambda notes: list_view(notes, request))


def _folder_table(folders: Sequence[FolderSize]) -> str:
    """Folders, with how many notes and bytes are in each."""
    names = [f"{'  ' * f.depth}{f.path.rpartition('/')[2]}/" for f in folders]
    width = max(map(len, names))
    digits = max(len(str(f.notes)) for f in folders)
    return "\n".join(
        f"{name:<{width}}  {f.notes:>{digits}} {'note ' if f.notes == 1 else 'notes'}  {_size(f.bytes):>9}"
        for name, f in zip(names, folders, strict=True)
    )


def _size(count: int) -> str:
    """`12.3 kB`, in the greatest unit that fits."""
    for size, unit in ((1_000_000, "MB"), (1_000, "kB")):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"


def search(
    words: Annotated[list[str] | None, argument(metavar="QUERY")] = None,
    tag: Annotated[list[str] | None, option("--tag", "-t", metavar="TAG")] = None,
    scope: Annotated[str, scope_option()] = "",
    category: Annotated[str, option("--category", "-c", metavar="C")] = "",
    mode: Annotated[str, option("--mode", metavar="MODE")] = "words",
    regex: Annotated[bool, option("--regex", "-e")] = False,
    limit: Annotated[int | None, option("--limit", metavar="N", min=1, max=100000)] = None,
    where: Annotated[str, option("--in", metavar="WHERE")] = "notes",
    agent: Annotated[str, option("--agent", metavar="AGENT")] = "",
    project: Annotated[str, option("--project", metavar="P")] = "",
    since: Annotated[str, option("--since", metavar="DATE")] = "",
    user: Annotated[bool, option("--user")] = False,
    file: Annotated[str, option("--file", metavar="F")] = "",
    raw: Annotated[bool, option("--raw")] = False,
    ignore_case: Annotated[bool, option("--ignore-case", "-i")] = False,
    context: Annotated[int | None, option("--context", metavar="N", min=0, max=20)] = None,
    long: Annotated[bool, option("--long", "-l")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Search notes, including archived ones, or past sessions."""
    from ctxrepo.services.reading.searching import SearchQuery

    query = " ".join(words or ())
    of_sessions = {
        "--agent": agent,
        "--project": project,
        "--since": since,
        "--user": user,
        "--file": file,
        "--raw": raw,
        "--ignore-case": ignore_case,
        "--context": context is not None,
    }
    if where == "sessions":
        from ctxrepo.app.sessions.past_search import SessionsRequest, search_sessions
        from ctxrepo.app.views.hits import session_hits
        from ctxrepo.services.sessions.session_search import SessionQuery

        of_notes = {
            "--tag": tag,
            "--scope": scope,
            "--category": category,
            "--mode": mode != "words",
            "--regex": regex,
            "--long": long,
        }
        if ignore_case and not raw:
            raise UsageError(
                "--ignore-case needs --raw", "Words are found in any case; leave --ignore-case out."
            )
        if any(of_notes.values()):
            raise UsageError(f"{_first(of_notes)} doesn't go with --in sessions", "It is about notes.")
        session_query = SessionQuery(query, agent, project, 0, user, file, context, limit or 10)
        request = SessionsRequest(session_query, since, raw, ignore_case)
        answer_with_past(search_sessions, request, json, lambda hits: "\n\n".join(session_hits(hits)))
        return
    if where != "notes":
        raise UsageError(f"nothing is searched in {where!r}", "--in takes notes or sessions.")
    if any(of_sessions.values()):
        raise UsageError(f"{_first(of_sessions)} needs --in sessions", "It is about agents' sessions.")
    from ctxrepo.app.views.hits import hit_line

    note_query = SearchQuery(query, tuple(tag or ()), scope, regex, category, cast("Mode", mode))
    in_notes = browsing.SearchRequest(note_query, limit or 20)
    answer(
        browsing.search,
        in_notes,
        json,
        lambda hits: "\n".join(map(_with_provenance if long else hit_line, hits)),
    )


def tags(
    target: Annotated[str, argument(metavar="TARGET")] = "",
    add: Annotated[list[str] | None, option("--add", metavar="TAG")] = None,
    remove: Annotated[list[str] | None, option("--remove", metavar="TAG")] = None,
    scope: Annotated[str, scope_option()] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """List all tags, or show or change the tags of a note."""
    from ctxrepo.domain.project.target import parse_target
    from ctxrepo.services.notes.requests import TagChange

    if (add or remove) and not target:
        raise UsageError("--add and --remove change the tags of a note", "Give its path first.")
    if target:
        change = TagChange(parse_target(target), add or (), remove or ())
        answer(writing.set_tags, change, json, lambda tagged: f"{tagged.path} [{', '.join(tagged.tags)}]")
    else:
        answer(browsing.list_tags, browsing.ScopeRequest(scope), json, _tag_table)


def links(
    target: Annotated[str, argument(metavar="TARGET")] = "",
    scope: Annotated[str, scope_option()] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Show what a note links to, and what links to it."""
    from ctxrepo.domain.project.target import parse_target

    if target:
        answer(browsing.list_links, TargetRequest(parse_target(target)), json, _links)
    else:
        answer(browsing.list_broken_links, browsing.ScopeRequest(scope), json, _broken)


def _first(options: Mapping[str, object]) -> str:
    return next(name for name, value in options.items() if value)


def _tag_table(tags: Sequence[Tag]) -> str:
    return "\n".join(
        output.aligned(
            (t.name, output.counted(t.notes, "note"), output.counted(t.entries, "entry", "entries"))
            for t in tags
        )
    )


def _links(links: NoteLinks) -> str:
    lines = [f"{link.at} {link.written} -> {link.to or 'nowhere'}" for link in links.outgoing]
    lines += [f"{link.to} <- {link.at} {link.written}" for link in links.incoming]
    return "\n".join(lines) or "no links from it or to it"


def _broken(links: Sequence[Link]) -> str:
    return "\n".join(f"{link.at} {link.written} is broken" for link in links) or "no broken links"


def _with_provenance(hit: Hit) -> str:
    from ctxrepo.app.views.hits import hit_line
    from ctxrepo.app.views.provenance import provenance

    lines = provenance(hit.evidence) if hit.evidence else ()
    return "\n".join([hit_line(hit), *(f"    {line}" for line in lines)])


def export(
    words: Annotated[
        list[str], argument(metavar="[SCOPE] DEST", help="A scope (all without one), and a file or folder.")
    ],
    form: Annotated[str, option("--as", metavar="FORM")] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Write all of the memory, or one scope, to a file or a folder."""
    if len(words) > 2:
        raise UsageError(f"{words[2]} is one word too many", "`ctxrepo export [SCOPE] DEST`.")
    *scope, place = words
    if json and place == "-":
        raise UsageError("--json and DEST - both want standard output", "Name a file.")
    request = ExportRequest(place, scope[0] if scope else "", form, output.verbatim)

    def words_of(exported: ExportResult) -> str:
        if exported.place == "-":
            return ""
        counts = output.counted(exported.files, "file")
        if exported.entries:
            counts += f" and {output.counted(exported.entries, 'entry', 'entries')}"
        of = exported.folders[0] if exported.scope else output.counted(len(exported.folders), "scope")
        return f"exported: {counts} of {of} to {exported.place}"

    answer(browsing.export, request, json, words_of)
