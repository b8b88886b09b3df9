"""Commands about sessions: context, anchor, handoff, hook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from ctxrepo.agents import names as agent_names
from ctxrepo.domain.project.layout import COMPATIBLE
from ctxrepo.errors import UsageError
from ctxrepo.faces.cli.answer import answer, open_desk
from ctxrepo.faces.cli.options import argument, json_option, option, scope_option

if TYPE_CHECKING:
    import typer

    from ctxrepo.app.sessions.anchor_operations import HandedOver
    from ctxrepo.domain.tape.anchors import Anchor
    from ctxrepo.services.anchors.leave_anchor import AnchorResult
    from ctxrepo.services.delivery.start_packet import Context


def register(app: typer.Typer) -> None:
    for command in (context, anchor, handoff, hook):
        app.command()(command)


def context(
    preset: Annotated[
        str | None,
        option(
            "--preset", metavar="P", help=f"Of another design: `daily`, `semantic`, or `md` ({COMPATIBLE}'s)."
        ),
    ] = None,
    budget: Annotated[
        int, option("--budget", metavar="BYTES", min=0, help="Most bytes; 0: as the settings say.")
    ] = 0,
    agent: Annotated[
        str, option("--agent", metavar="A", help="As this agent is given it: no larger than it takes.")
    ] = "",
    explain: Annotated[
        bool, option("--explain", help="Show the lanes instead: what each was offered and took.")
    ] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Print exactly what a session started here would be given now.

    What was written last is committed first, as a start has the worker do. What takes the worker longer than
    a start waits comes with the session's first prompt.

    Example: ctxrepo context --explain
    """
    from ctxrepo.app.sessions.context import ContextRequest, context

    def said(made: Context) -> str:
        return _table(made) if explain else made.text.rstrip("\n")

    def silence(made: Context) -> Iterator[str]:
        if made.why:
            yield f"a session would be given nothing: {made.why}"

    answer(open_desk(), context, ContextRequest(preset, budget, agent), json, said, silence)


def _table(made: Context) -> str:
    """The lanes in the order in which they were given room."""
    if not made.lanes:
        return f"{len(made.text.encode())} bytes; this preset has no lanes"
    names = [f"{lane.name} {lane.scope}".strip() for lane in made.lanes]
    width = max(map(len, names))
    rows = [f"{'lane':{width}} {'floor':>6} {'cap':>6} {'offered':>8} {'taken':>6}"]
    for name, lane in zip(names, made.lanes, strict=True):
        cap = str(lane.cap) if lane.cap < 1 << 30 else "-"
        cut = "  cut" if lane.is_cut else ""
        rows.append(f"{name:{width}} {lane.floor:6} {cap:>6} {lane.offered:8} {lane.taken:6}{cut}")
    rows.append(f"{len(made.text.encode())} of {made.budget} bytes, frame included")
    return "\n".join(rows)


def anchor(
    name: Annotated[str, argument(metavar="NAME", help="What this point is, e.g. release/ready.")] = "",
    summary: Annotated[str, option("--summary", metavar="S", help="What was done, in a sentence.")] = "",
    purpose: Annotated[str, option("--purpose", metavar="P", help="What for, in a word or two.")] = "",
    keyword: Annotated[
        list[str] | None,
        option("--keyword", metavar="K", help="A word to find it by; may be given again."),
    ] = None,
    entry: Annotated[
        str,
        option(
            "--entry", metavar="ID", help="The message of the transcript at which it stands; else the last."
        ),
    ] = "",
    from_prompt: Annotated[
        str,
        option("--from-prompt", metavar="TEXT", help="Ask the session's agent for one about this instead."),
    ] = "",
    session: Annotated[
        str, option("--session", metavar="ID", help="Whose agent is asked, by the beginning of its id.")
    ] = "",
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Leave an anchor: a named point that the next session is shown.

    With --from-prompt none is left yet. What is printed asks the agent for one, and the next one that it
    leaves counts as asked for by you. Without --session the agent is asked whose session the command is run
    in, else that of the newest one in this project.

    Example: ctxrepo anchor release/ready --summary "All checks pass; tag next"
    """
    from ctxrepo.app.sessions.anchor_operations import AnchorWish, anchor, ask_for_anchor
    from ctxrepo.services.anchors.leave_anchor import AnchorRequest

    def said(made: AnchorResult) -> str:
        return f"{'anchored already' if made.existing else 'anchored'}: {made.anchor.name}"

    if bool(name) == bool(from_prompt) or (session and not from_prompt):
        raise UsageError(
            "an anchor is left by its NAME, or asked for with --from-prompt", "Give one of them."
        )
    if from_prompt:
        answer(open_desk(), ask_for_anchor, AnchorWish(from_prompt, session), json, lambda said: said)
        return
    request = AnchorRequest(name, summary, purpose, keyword or (), entry=entry)
    answer(open_desk(), anchor, request, json, said)


def handoff(
    name: Annotated[str, argument(metavar="NAME", help="What this point is.")] = "",
    goal: Annotated[str, option("--goal", metavar="G", help="What it is all for.")] = "",
    done: Annotated[
        list[str] | None, option("--done", metavar="D", help="What is done; may be given again.")
    ] = None,
    left: Annotated[
        list[str] | None, option("--open", metavar="O", help="What is open; may be given again.")
    ] = None,
    step: Annotated[str, option("--next", metavar="N", help="What to do first.")] = "",
    file: Annotated[
        list[str] | None, option("--file", metavar="F", help="A file to look at; may be given again.")
    ] = None,
    scope: Annotated[str, scope_option()] = "",
    dry_run: Annotated[bool, option("--dry-run", help="Print what would be handed over.")] = False,
    show: Annotated[bool, option("--show", help="Print the newest handoff instead.")] = False,
    json: Annotated[bool, json_option()] = False,
) -> None:
    """Leave an anchor with what whoever goes on needs to know.

    What you don't say is gathered: open items of the checklist, what was logged today, the files that
    this session edited, the anchors it left, and what it was asked first and last. 4 KiB at most.

    Example: ctxrepo handoff --goal "Retries for payments" --next "Test the 8 s limit"
    """
    from ctxrepo.app.sessions import anchor_operations as handoffs
    from ctxrepo.domain.tape.handoff_parts import Handoff, told
    from ctxrepo.services.anchors.session_handoff import NAME, HandoverRequest

    desk = open_desk()
    if show:
        answer(desk, handoffs.read_handoff, handoffs.NewestHandoffRequest(scope), json, _newest)
        return
    given = Handoff(goal, tuple(done or ()), tuple(left or ()), step, tuple(file or ()))
    request = HandoverRequest(given, name or NAME, scope)
    if dry_run:
        nothing = "there is nothing to hand over"
        answer(desk, handoffs.draft_handoff, request, json, lambda made: told(made) or nothing)
    else:
        answer(desk, handoffs.hand_over, request, json, _handed_over)


def _newest(found: Anchor) -> str:
    from ctxrepo.services.reading.tape_files import handoff_text

    return f"{found.name} · {found.timestamp}\n{handoff_text(found)}"


def _handed_over(made: HandedOver) -> str:
    from ctxrepo.domain.tape.handoff_parts import told

    verb = "handed over already" if made.anchored.existing else "handed over"
    return f"{verb}: {made.anchored.anchor.name}\n{told(made.handoff)}"


def hook(
    agent: Annotated[str, argument(metavar="AGENT", help=f"{', '.join(agent_names())}.")],
    event: Annotated[str, argument(metavar="EVENT", help="The agent's own name for it.")],
) -> None:
    """Answer an agent's hook.

    Its JSON comes on standard input, the answer goes to standard output. `setup` writes a faster line
    into the agent's settings; this one is for trying things out.

    Example: echo '{"session_id":"s","cwd":"'$PWD'"}' | ctxrepo hook claude SessionStart
    """
    raise UsageError(f"`ctxrepo hook {agent} {event}` stands alone", "It takes no options.")
