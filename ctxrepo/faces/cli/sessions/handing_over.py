"""Commands about sessions and what they are given: context, anchor, handoff, hook, session off, on, show; and
in files: file add, remove, list, refresh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

from ctxrepo.agents import names as agent_names
from ctxrepo.app.sessions import delivered
from ctxrepo.app.sessions.delivered import BlockRequest, ContextRequest, SwitchRequest
from ctxrepo.domain.project.layout import shown
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli import output
from ctxrepo.faces.cli.answer import answer
from ctxrepo.faces.cli.options import (
    DRY_RUN,
    USUAL,
    Group,
    argument,
    command,
    json_option,
    option,
    scope_option,
)

if TYPE_CHECKING:
    from ctxrepo.app.sessions.anchor_operations import HandedOver
    from ctxrepo.services.anchors.leave_anchor import AnchorResult
    from ctxrepo.services.delivery.file_blocks import AddResult, BlockState
    from ctxrepo.services.delivery.start_packet import Context
    from ctxrepo.storage.cache.layout import NewestHandoff
    from ctxrepo.storage.state.ledgers import Ledger


@command(preset="--preset P", budget="--budget BYTES", agent="--agent A")
def context(
    request: ContextRequest, explain: Annotated[bool, option("--explain")] = False, json: bool = False
) -> None:
    """Print what a session would be given if it started now."""

    def text(context: Context) -> str:
        return _table(context) if explain else context.text.rstrip("\n")

    def hints(context: Context) -> list[str]:
        return [f"a session would be given nothing: {context.why}"] if context.why else []

    answer(delivered.context, request, json, text, hints)


def _table(context: Context) -> str:
    """The lanes in the order in which they were given room."""
    if not context.lanes:
        return f"{len(context.text.encode())} bytes; this preset has no parts"
    names = [f"{lane.name} {lane.scope}".strip() for lane in context.lanes]
    width = max(map(len, names))
    rows = [f"{'part':{width}} {'floor':>6} {'cap':>6} {'offered':>8} {'taken':>6}"]
    for name, lane in zip(names, context.lanes, strict=True):
        cap = str(lane.cap) if lane.cap < 1 << 30 else "-"
        cut = "  cut" if lane.is_cut else ""
        rows.append(f"{name:{width}} {lane.floor:6} {cap:>6} {lane.offered:8} {lane.taken:6}{cut}")
    rows.append(f"{len(context.text.encode())} of {context.budget} bytes, frame included")
    return "\n".join(rows)


def anchor(
    name: Annotated[str, argument(metavar="NAME")] = "",
    summary: Annotated[str, option("--summary", metavar="S")] = "",
    purpose: Annotated[str, option("--purpose", metavar="P")] = "",
    keyword: Annotated[list[str] | None, option("--keyword", metavar="K")] = None,
    entry: Annotated[str, option("--entry", metavar="ID")] = "",
    from_prompt: Annotated[str, option("--from-prompt", metavar="TEXT")] = "",
    session: Annotated[str, option("--session", metavar="ID")] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Leave an anchor: a point that the next session is shown."""
    from ctxrepo.app.sessions.anchor_operations import AnchorWish, anchor, ask_for_anchor
    from ctxrepo.services.anchors.leave_anchor import AnchorRequest

    def text(result: AnchorResult) -> str:
        return f"{'anchored already' if result.existing else 'anchored'}: {result.anchor.name}"

    if bool(name) == bool(from_prompt) or (session and not from_prompt):
        raise UsageError(
            "an anchor is left by its NAME, or asked for with --from-prompt", "Give one of them."
        )
    if from_prompt:
        answer(ask_for_anchor, AnchorWish(from_prompt, session), json, lambda instruction: instruction)
        return
    request = AnchorRequest(name, summary, purpose, keyword or (), entry=entry)
    answer(anchor, request, json, text)


def handoff(
    name: Annotated[str, argument(metavar="NAME")] = "",
    goal: Annotated[str, option("--goal", metavar="G")] = "",
    done: Annotated[list[str] | None, option("--done", metavar="D")] = None,
    left: Annotated[list[str] | None, option("--open", metavar="O")] = None,
    step: Annotated[str, option("--next", metavar="N")] = "",
    file: Annotated[list[str] | None, option("--file", metavar="F")] = None,
    scope: Annotated[str, scope_option()] = "",
    dry_run: Annotated[bool, option("--dry-run")] = False,
    show: Annotated[bool, option("--show")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Leave an anchor that tells the next session how to continue."""
    from ctxrepo.app.sessions import anchor_operations as handoffs
    from ctxrepo.domain.tape.handoff_parts import Handoff
    from ctxrepo.services.anchors.leave_anchor import AnchorRequest
    from ctxrepo.services.anchors.session_anchors import NAME

    if show:
        answer(handoffs.read_handoff, handoffs.NewestHandoffRequest(scope), json, _newest)
        return
    parts = Handoff(goal, tuple(done or ()), tuple(left or ()), step, tuple(file or ()))
    request = AnchorRequest(name or NAME, scope=scope, handoff=parts)
    if dry_run:
        nothing = "there is nothing to hand over"
        answer(handoffs.draft_handoff, request, json, lambda handoff: handoff.text or nothing)
    else:
        answer(handoffs.hand_over, request, json, _outcome)


def _newest(handoff: NewestHandoff) -> str:
    return f"{handoff.name} · {handoff.ts}\n{handoff.text}"


def _outcome(outcome: HandedOver) -> str:
    verb = "handed over already" if outcome.result.existing else "handed over"
    return f"{verb}: {outcome.result.anchor.name}\n{outcome.handoff.text}"


def hook(
    agent: Annotated[str, argument(metavar="AGENT", help=f"{', '.join(agent_names())}.")],
    event: Annotated[str, argument(metavar="EVENT")],
) -> None:
    """Answer an agent's hook."""
    raise UsageError(f"`ctxrepo hook {agent} {event}` stands alone", "It takes no options.")


def mcp() -> None:
    """Offer memory to a host, as tools of the Model Context Protocol."""
    raise UsageError("`ctxrepo mcp` stands alone", "It takes no options; CTXREPO_MCP=read offers less.")


session = Group("session", "Turn memory off or on for one session of an agent.", "show")


@session.command()
@command(session="--session ID")
def off(request: SwitchRequest, json: bool = False) -> None:
    """Stop giving memory to a session."""
    _switch(replace(request, is_off=True), json)


@session.command()
@command(session="--session ID")
def on(request: SwitchRequest, json: bool = False) -> None:
    """Give memory to a session again, from its next prompt on."""
    _switch(request, json)


@session.command("show")
def list_sessions(json: Annotated[bool, json_option()] = False) -> None:
    """List the sessions of the last day, the newest first."""

    def text(ledgers: Sequence[Ledger]) -> str:
        return "\n".join(output.aligned(map(_cells, ledgers))) or "no agent had a session in the last day"

    answer(delivered.list_sessions, None, json, text)


def _switch(request: SwitchRequest, json: bool) -> None:
    change = "gets no more memory" if request.is_off else "gets memory again"
    answer(delivered.switch, request, json, lambda ledger: f"{_name(ledger)} {change}")


def _name(ledger: Ledger) -> str:
    return f"{ledger.agent} {ledger.session[:8]}"  # as much of an id as people read and type


def _cells(ledger: Ledger) -> tuple[str, ...]:
    began = output.wall_time(datetime.fromtimestamp(ledger.began, UTC))
    since = f"since {began}" if ledger.began else "since when isn't known"
    entries = output.counted(ledger.given, "entry", "entries")
    return _name(ledger), "off" if ledger.is_off else "on", since, entries, shown(ledger.cwd, 80)


file = Group("file", "Keep the memory block in files that agents read.", "list")


@file.command("add")
@command(path="PATH", agent=USUAL, is_trial=DRY_RUN)
def add_file(request: BlockRequest, json: bool = False) -> None:
    """Put the block into a file, and keep it up to date there."""

    def text(result: AddResult) -> str:
        if request.is_trial and result.diff:
            return result.diff.rstrip("\n")
        return f"the block {'is' if result.diff else 'was already'} in {result.block.path}"

    answer(delivered.add_block, request, json, text)


@file.command("remove")
@command(path="PATH", agent=USUAL)
def remove_file(request: BlockRequest, json: bool = False) -> None:
    """Remove the block from a file, and leave every other byte unchanged."""

    def text(block: delivered.RemovedBlock) -> str:
        nothing = f"{block.path} has no block any more, and won't get one"
        return f"removed from {block.path}" if block.was_there else nothing

    answer(delivered.remove_block, request, json, text)


@file.command("list")
def list_files(json: Annotated[bool, json_option()] = False) -> None:
    """List the files with a block, and the state of each."""

    def text(blocks: Sequence[BlockState]) -> str:
        nothing = "no file has the block; `ctxrepo file add` puts it into one"
        return "\n".join(map(delivered.block_line, blocks)) or nothing

    answer(delivered.list_blocks, None, json, text)


@file.command("refresh")
def refresh_files(json: Annotated[bool, json_option()] = False) -> None:
    """Update the block in all these files now."""

    def text(paths: Sequence[str]) -> str:
        return "\n".join(f"updated {path}" for path in paths) or "everything was up to date"

    answer(delivered.renew_blocks, None, json, text)
