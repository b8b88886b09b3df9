"""Commands about the memory repository: init, sync, pull, push, status, doctor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from ctxrepo.cli import output
from ctxrepo.cli.options import Json
from ctxrepo.domain.deletions import told
from ctxrepo.errors import UsageError

if TYPE_CHECKING:
    from ctxrepo.domain.merge import Aside
    from ctxrepo.services.sync import Synced

FAILED, ASIDE, QUEUED, REFUSED = 1, 4, 5, 6


def register(app: typer.Typer) -> None:
    for command in (init, sync, pull, push, status, doctor):
        app.command()(command)


def init(
    remote: Annotated[
        str, typer.Argument(metavar="REMOTE", help="URL or path of a git repository; empty is fine.")
    ] = "",
    sparse: Annotated[
        bool,
        typer.Option("--sparse", help="Bring only the global notes, and projects as you work on them."),
    ] = False,
    json: Json = False,
) -> None:
    """Create the memory repository, or clone it from REMOTE.

    Run again it changes nothing. With REMOTE it connects a repository that has none, and merges both. Without
    REMOTE it goes on with the memory repository that pi-memory-md's settings name, where there are any.

    Example: ctxrepo init git@example.org:me/memory.git
    """
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.init import init
    from ctxrepo.storage.git import redact

    run = Runtime()
    with output.progress() as progress:
        made = init(run.places, run.env, remote, run.interpreter, run.now, progress, sparse=sparse)
    words = {
        "created": "created a memory repository",
        "cloned": "cloned the memory repository",
        "connected": "connected the memory repository",
        "adopted": "goes on with the memory repository of pi-memory-md",
        "unchanged": "the memory repository is as it was",
    }[made.action]
    url = redact(made.remote)
    where = f" with {url}" if url else ""
    run.wake()
    data = {"root": str(made.root), "remote": url, "action": made.action}
    for warning in (*run.pi_warnings, *made.warnings):
        output.notice(warning)
    if made.source:
        data["settings"] = str(made.source)
        output.notice(f"folder and remote are as pi-memory-md's settings say: {made.source}")
    output.done(json, data, f"{words}: {made.root}{where}")
    if not json and made.action != "unchanged":
        output.notice("next: `ctxrepo setup claude` connects Claude Code")
    if made.synced:
        _finish(made.synced)


def sync(
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="WHAT",
            help="Confirm what was held back: `deletions` of many entries or files, or a `remote` that "
            "holds something else than before.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Bring this machine and the remote to the same state.

    It commits, fetches, merges and pushes.

    Example: ctxrepo sync
    """
    for what in accept or []:
        if what not in ("deletions", "remote"):
            raise UsageError(f"--accept {what} is nothing to accept", "It takes `deletions` or `remote`.")
    _sync(json, send=True, accept=accept or [])


def pull(json: Json = False) -> None:
    """Fetch and merge what others sent.

    What is written here is committed first, and goes out with the next sync.

    Example: ctxrepo pull
    """
    _sync(json, send=False)


def push(json: Json = False) -> None:
    """Commit what is written here and send it.

    Where others were faster it fetches and merges first.

    Example: ctxrepo push
    """
    _sync(json, send=True)


def status(json: Json = False) -> None:
    """Show where the memory stands; the network is not asked.

    Example: ctxrepo status
    """
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.status import status

    run = Runtime()
    now = status(run.memory, run.project)
    fetched = (
        datetime.fromtimestamp(now.fetched, UTC).isoformat(timespec="seconds") if now.fetched else "never"
    )
    project = f"{now.project.id} in {now.project.folder}/" if now.project else "none: global only"
    if now.project and not now.project.is_registered:
        project += " (nothing written yet)"
    lines = [
        f"memory   {now.root} on {now.branch}, {now.notes} notes",
        f"remote   {now.remote or 'none: on this machine only'}",
        f"project  {project}",
        f"waiting  {now.waiting} to commit, {now.ahead} to send, {now.behind} to merge; last fetch {fetched}",
        *(f"fault    {fault}" for fault in now.faults),
    ]
    if now.embedded:
        lines.append(f"meaning  {now.embedded[0]} of {now.embedded[1]} texts embedded")
    if now.review:
        lines.append(f"review   {now.review} waits for somebody to look at it")
    for one in now.declined:
        lines.append(f"declined {one.date}: {len(one.entries)} struck out in a review, kept in {one.ref}")
        lines += [f"         - {entry}" for entry in one.entries[:5]]
    if now.obstacle:
        lines.append(f"stopped  {now.obstacle}")
    output.done(json, {**asdict(now), "root": str(now.root)}, "\n".join(lines))


def doctor(
    json: Json = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what needs no decision of yours; nothing is deleted.")
    ] = False,
    hooks: Annotated[
        bool,
        typer.Option("--hooks", help="Tell what the agents recorded about our hooks in the last sessions."),
    ] = False,
) -> None:
    """Look for what is wrong around the notes: git, clone, hooks.

    Ends with 1 when something is found. With --fix it says what it did, and then what is left for you. With
    --hooks it reads the agents' own records instead: which hooks ran, how long they took, and whether what
    they gave reached the model. Nothing that was said in a session is shown.

    Example: ctxrepo doctor --fix
    """
    if hooks:
        if fix:
            raise UsageError("--hooks only looks", "Leave out --fix.")
        _tell_hooks(json)
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.doctor import doctor
    from ctxrepo.services.mend import mend

    run = Runtime()
    done = list(mend(run.memory, run.now)) if fix else []
    found = doctor(run.memory, run.machine)
    lines = [*(f"mended: {deed}" for deed in done), *(f"{f.problem}\n  {f.remedy}" for f in found)]
    data = {"findings": [asdict(f) for f in found], "mended": done}
    output.done(json, data, "\n".join(lines) or "all is well")
    raise typer.Exit(FAILED if found else 0)


def _tell_hooks(json: bool) -> None:
    from ctxrepo.cli import hooks
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.hook_records import hook_records

    run = Runtime()
    found = hook_records(run.memory, run.machine)
    findings = [finding for agent in found for finding in agent.findings]
    lines = [*hooks.lines(found), *(f"{f.problem}\n  {f.remedy}" for f in findings)]
    data = {"findings": [asdict(f) for f in findings], "hooks": hooks.data(found)}
    output.done(json, data, "\n".join(lines))
    raise typer.Exit(FAILED if findings else 0)


def _sync(json: bool, send: bool, accept: Sequence[str] = ()) -> None:
    from ctxrepo.cli.runtime import Runtime
    from ctxrepo.services.commit import Wanted
    from ctxrepo.services.register import register
    from ctxrepo.services.repair import healing
    from ctxrepo.services.spooled import spooled_versions
    from ctxrepo.services.sync import sync

    run = Runtime()
    memory = replace(run.memory, is_hurried=True)
    wanted = Wanted(spooled_versions(memory), deletions="deletions" in accept)
    register(memory, run.interpreter)
    result = healing(
        memory,
        run.now,
        lambda: sync(memory, run.now, send=send, wanted=wanted, accept_remote="remote" in accept),
        lambda repaired: output.notice(repaired.words),
    )
    if memory.cache.head != (result.head or "") or memory.state.blocks.exists():
        run.wake()
    data = {
        "head": result.head,
        "remote": result.remote.outcome,
        "received": result.received,
        "sent": result.sent,
        "branch": result.branch,
        "held": [asdict(h) for h in result.held],
        "aside": [a.path for a in result.aside],
        "notices": result.notices,
    }
    where = "" if run.memory.has_remote else "; there is no remote, so this stays on this machine"
    where = f" for review on {result.branch}" if result.branch else where
    text = f"received {result.received}, sent {result.sent} commits{where}" if result.remote.ok else ""
    output.done(json, data, text)
    _finish(result, "not sent" if send else "not received")


def _finish(result: Synced, failing: str = "not sent") -> None:
    """Say what needs a person, and end with the code for it: 6 before 5 before 4."""
    for line in (*told(result.held), *result.notices):
        output.notice(line)
    tell_aside(result.aside)
    if not result.remote.ok:
        output.notice(f"{failing}: {result.remote.reason.rstrip('.')}. {result.remote.next_step}")
    code = REFUSED if result.held else QUEUED if not result.remote.ok else ASIDE if result.aside else 0
    if code:
        raise typer.Exit(code)


def tell_aside(asides: Sequence[Aside]) -> None:
    """Say which versions lost, and where each is."""
    from ctxrepo.domain.merge import aside_file, aside_id

    for aside in asides:
        kept = aside_id(aside_file(aside)[0])
        output.notice(f"two versions met in {aside.path}; `ctxrepo conflicts show {kept}` has the other one")
