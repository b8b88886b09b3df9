"""Commands about versions that lost a merge: conflicts list, show, resolve."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ctxrepo.domain.formats.moment import ago, second
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.options import Json, without_verb

if TYPE_CHECKING:
    from ctxrepo.domain.merge.settle import Keep
    from ctxrepo.services.history.conflict_copies import Conflict
    from ctxrepo.services.history.conflicts import Settled

_MAX_DIFF = 200
_CHOICES = (
    "kept: what stands in the file now holds, the other version is dropped",
    "other: the other version takes its place",
    "both: the other version is added behind it",
)

group = typer.Typer()

_ID_HELP = "Its id as `conflicts list` shows it, or the first digits."
Id = Annotated[str, typer.Argument(metavar="ID", help=_ID_HELP)]


def register(app: typer.Typer) -> None:
    app.add_typer(group, name="conflicts")


@group.callback(invoke_without_command=True)
def conflicts(context: typer.Context, json: Json = False) -> None:
    """List, show and settle versions that lost a merge.

    Where two machines changed one thing, one version stayed and the other one is kept aside.
    Without a verb they are listed.

    Example: ctxrepo conflicts
    """
    without_verb(context, list_conflicts, json=json)


@group.command("list")
def list_conflicts(json: Json = False) -> None:
    """List the versions that are kept aside.

    Example: ctxrepo conflicts list
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.history.conflict_copies import conflicts

    run = Runtime()
    found = conflicts(run.memory)
    lines = [_line(conflict, run.now) for conflict in found]
    output.done(json, {"conflicts": [_data(c) for c in found]}, "\n".join(lines) or "nothing is kept aside")
    readable = [c for c in found if c.copy]
    if readable and not json:
        output.notice(f"look at one with `ctxrepo conflicts show {readable[0].id}`")


@group.command()
def show(name: Id, json: Json = False) -> None:
    """Show one version, and how it differs from the one that was kept.

    Example: ctxrepo conflicts show aa31ddc8fc
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.history.conflict_copies import file_now, find_conflict

    run = Runtime()
    conflict = find_conflict(run.memory, name)
    copy = conflict.copy
    assert copy is not None  # find_conflict raises for a file that keeps none
    kept = copy.kept or file_now(run.memory, copy.path)
    diff = list(islice(_diff(kept or "", copy.other), _MAX_DIFF + 1))
    if len(diff) > _MAX_DIFF:
        diff[-1] = "…"
    what = "a part" if copy.kept else "the whole file"
    parts = [
        f"{conflict.id}  {copy.path}: {what}, {_age(conflict.since, run.now)}",
        *([f"was:\n{_indented(copy.base)}"] if copy.base else []),
        *([f"kept:\n{_indented(copy.kept)}"] if copy.kept else []),
        *([f"other:\n{_indented(copy.other)}"] if copy.kept else []),
        "\n".join(["from kept to other:", *diff]),
    ]
    said = {"was": copy.base, "kept": kept, "other": copy.other, "whole": not copy.kept}
    output.done(json, {**_data(conflict), **said, "diff": "\n".join(diff)}, "\n\n".join(parts))
    if not json:
        output.notice(f"`ctxrepo conflicts resolve {conflict.id} --keep kept`, or other, or both")


@group.command()
def resolve(
    name: Annotated[str, typer.Argument(metavar="ID", help=_ID_HELP)] = "",
    keep: Annotated[
        str, typer.Option("--keep", metavar="WHICH", help="kept, other or both: what shall hold.")
    ] = "",
    every: Annotated[bool, typer.Option("--all", help="Every version; only with --keep kept.")] = False,
    json: Json = False,
) -> None:
    """Settle one version.

    `--keep kept` drops it, `other` puts it in the place of the kept one, `both` adds it behind that.

    The file is changed only where the kept version still stands in it, once.

    Every version stays in the history.

    Example: ctxrepo conflicts resolve aa31ddc8fc --keep other
    """
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.history.conflicts import drop_all, resolve

    if every == bool(name):
        raise UsageError("name one version, or say --all", "`ctxrepo conflicts` lists them.")
    if keep not in ("kept", "other", "both"):
        wrong = f"--keep {keep!r} is not a choice" if keep else "say with --keep what shall hold"
        raise UsageError(wrong, f"{'; '.join(_CHOICES)}.")
    if every and keep != "kept":
        raise UsageError("--all goes with --keep kept only", "Look at each with `ctxrepo conflicts show ID`.")
    run = Runtime()
    if every:
        settled = drop_all(run.memory, run.origin, run.now)
    else:
        settled = [resolve(run.memory, name, cast("Keep", keep), run.origin, run.now)]
    run.wake()
    lines = [_told(s, keep) for s in settled]
    data = {"settled": [{"id": s.id, "path": s.path, "changed": s.is_changed} for s in settled], "keep": keep}
    output.done(json, data, "\n".join(lines) or "nothing is kept aside")


def _line(conflict: Conflict, now: datetime) -> str:
    if conflict.copy is None:
        return f"unreadable  {conflict.file}: keeps no version, look at it in an editor"
    return f"{conflict.id}  {conflict.copy.path}  {_age(conflict.since, now)}  {conflict.words}"


def _data(conflict: Conflict) -> dict[str, Any]:
    return {
        "id": conflict.id,
        "path": conflict.copy.path if conflict.copy else "",
        "file": conflict.file,
        "words": conflict.words,
        "since": second(conflict.since) if conflict.since else None,
        "readable": conflict.copy is not None,
    }


def _told(settled: Settled, keep: str) -> str:
    holds = {"kept": "the kept one holds", "other": "the other one holds", "both": "both hold"}[keep]
    already = " already" if keep != "kept" and not settled.is_changed else ""
    return f"settled: {settled.id} {settled.path}, {holds}{already}"


def _age(since: datetime | None, now: datetime) -> str:
    return "not committed" if since is None else ago(since, now)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _diff(kept: str, other: str) -> Iterator[str]:
    lines = unified_diff(kept.splitlines(), other.splitlines(), "kept", "other", lineterm="")
    return (line.rstrip("\r") for line in lines)
