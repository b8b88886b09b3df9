"""Commands about versions that lost a merge: conflicts list, show, resolve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.app.review.decisions import ConflictRequest, ResolveRequest
from ctxrepo.domain.formats.moment import ago
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import command, json_option, without_verb

if TYPE_CHECKING:
    from ctxrepo.app.review.decisions import ShownConflict
    from ctxrepo.services.history.conflict_copies import Conflict
    from ctxrepo.services.history.settle_conflict import Resolution

group = typer.Typer()


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="conflicts")


@group.callback(invoke_without_command=True)
def conflicts(context: typer.Context, json: Annotated[bool, json_option()] = False) -> None:
    """List, show and resolve the versions that a merge set aside.

    Where two machines changed the same thing, one version was kept in place and the other was set aside.
    Without a verb it lists them.

    Example: ctxrepo conflicts
    """
    without_verb(context, list_conflicts, json=json)


@group.command("list")
def list_conflicts(json: Annotated[bool, json_option()] = False) -> None:
    """List the versions that were set aside.

    Example: ctxrepo conflicts list
    """
    from ctxrepo.app.review.decisions import list_conflicts

    desk = open_desk()

    def said(found: Sequence[Conflict]) -> str:
        return "\n".join(_line(one, desk.now) for one in found) or "nothing is set aside"

    def next_step(found: Sequence[Conflict]) -> Iterator[str]:
        readable = [one for one in found if one.copy]
        if readable and not json:
            yield f"look at one with `ctxrepo conflicts show {readable[0].id}`"

    answer(desk, list_conflicts, None, json, said, next_step)


@group.command()
@command(id="ID")
def show(request: ConflictRequest, json: bool = False) -> None:
    """Show a version that was set aside, and how it differs from the one that was kept.

    Example: ctxrepo conflicts show aa31ddc8fc
    """
    from ctxrepo.app.review.decisions import show_conflict

    desk = open_desk()

    def said(found: ShownConflict) -> str:
        return "\n\n".join(_parts(found, desk.now))

    def next_step(found: ShownConflict) -> Iterator[str]:
        if not json:
            yield f"`ctxrepo conflicts resolve {found.conflict.id} --keep kept`, or other, or both"

    answer(desk, show_conflict, request, json, said, next_step)


@group.command()
@command(id="ID", keep="--keep WHICH", every="--all")
def resolve(request: ResolveRequest, json: bool = False) -> None:
    """Resolve a version that was set aside, or all of them.

    `--keep kept` drops it, `other` replaces the kept version with it, and `both` adds it after the kept
    version.

    The file is changed only if the kept version still occurs in it, exactly once.

    Every version stays in the history.

    Example: ctxrepo conflicts resolve aa31ddc8fc --keep other
    """
    from ctxrepo.app.review.decisions import resolve

    def said(done: Sequence[Resolution]) -> str:
        return "\n".join(_told(one, request.keep) for one in done) or "nothing is set aside"

    answer(open_desk(), resolve, request, json, said)


def _parts(found: ShownConflict, now: datetime) -> Iterator[str]:
    conflict, copy = found.conflict, found.copy
    what = "a part" if copy.kept else "the whole file"
    yield f"{conflict.id}  {copy.path}: {what}, {_age(conflict.since, now)}"
    if copy.base:
        yield f"was:\n{_indented(copy.base)}"
    if copy.kept:
        yield f"kept:\n{_indented(copy.kept)}"
        yield f"other:\n{_indented(copy.other)}"
    yield "\n".join(["from kept to other:", *found.diff])


def _line(conflict: Conflict, now: datetime) -> str:
    if conflict.copy is None:
        return f"unreadable  {conflict.file}: keeps no version, look at it in an editor"
    return f"{conflict.id}  {conflict.copy.path}  {_age(conflict.since, now)}  {conflict.words}"


def _told(done: Resolution, keep: str) -> str:
    holds = {"kept": "kept the current version", "other": "kept the other version", "both": "kept both"}[keep]
    already = " already" if keep != "kept" and not done.is_changed else ""
    return f"resolved: {done.id} {done.path}, {holds}{already}"


def _age(since: datetime | None, now: datetime) -> str:
    return "not committed" if since is None else ago(since, now)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))
