"""The first hour on a machine as one operation: repository, projects, memories of other programs, agents; and
a demo memory to look around in, before that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.agents.known import AGENTS, sources
from ctxrepo.app.notes import upkeep
from ctxrepo.app.repository.connecting import AgentsRequest, SetupRequest, set_up
from ctxrepo.app.repository.exchange import attention, init
from ctxrepo.app.result import Result
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.secrets import redact
from ctxrepo.errors import CtxrepoError, NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.setup.setup import Plan, present
from ctxrepo.storage.user.config import read_settings
from ctxrepo.storage.user.receipt import Choices
from ctxrepo.storage.user.repository import shown_path

if TYPE_CHECKING:
    from ctxrepo.app.desk import Call, Desk
    from ctxrepo.services.demo.play_story import DemoMemory
    from ctxrepo.services.imports.destination import ImportPlan
    from ctxrepo.services.repository.init import InitResult


Offer = tuple[str, ...]
"""What a person was told of a place in which a memory program keeps something: the place, and the lines."""


@dataclass(frozen=True)
class FirstStep:
    """A step; `lines` say what it comes to. `is_open`: there is something to do, `is_done`: it was done."""

    name: str
    lines: Sequence[str]
    is_open: bool = True
    is_done: bool = False


@dataclass(frozen=True)
class StartRequest:
    """`remote` as for `init`, `permissions` as for `setup`. `agrees` is told of each step before it is done,
    and asked whether to do it, if it is open. A trial does nothing."""

    remote: str
    permissions: str
    is_trial: bool
    agrees: Callable[[FirstStep], bool]


@dataclass(frozen=True)
class FirstHour:
    """The steps; what a session in `folder` would be given and a `command` answers there, '' for nothing."""

    steps: Sequence[FirstStep]
    folder: str
    context: str = ""
    command: str = ""
    answer: str = ""


def start(desk: Desk, request: StartRequest) -> Result[FirstHour]:
    """Take the steps that are agreed to, each before the next is planned; what is done already is passed by.
    It ends with the exit code of the first one in which something is wrong."""
    steps: list[FirstStep] = []

    def ask(name: str, lines: Sequence[str], is_open: bool = True) -> bool:
        step = FirstStep(name, lines, is_open)
        steps.append(replace(step, is_done=request.agrees(step)))
        return steps[-1].is_done

    codes, offers = [_make_repository(desk, request.remote, ask)], set[Offer]()
    calls = [desk.call]
    if upkeep.has_memory(desk):
        projects = _projects(desk)
        ask("projects", [*projects] or ["no agent has worked in a git checkout here"], is_open=False)
        calls = [*projects.values()] or calls
        codes += [_bring(desk, call, source, offers, ask) for call, source in product(calls, sources())]
    elif request.is_trial:
        ask("projects", ["shown with what is remembered of each, once there is a repository"], is_open=False)
        if remembered := _remembered(desk):
            ask("memories", remembered)
    if upkeep.has_memory(desk) or request.is_trial:
        codes.append(_connect(desk, request, ask))
    if request.is_trial and any(step.is_open for step in steps):
        desk.notice("nothing was changed: the same command with --yes does all of it")
    seen = desk.perform(_look, None, calls[0]) if upkeep.has_memory(desk) else ()
    outcome = FirstHour(steps, _folder(desk, calls[0]), *seen)
    return Result(outcome, exit_code=next(filter(None, codes), 0))


def _folder(desk: Desk, call: Call) -> str:
    """The folder of a call, in words."""
    return shown_path(call.cwd, desk.places).removesuffix("/.")


def _make_repository(desk: Desk, remote: str, ask: Callable[..., bool]) -> int:
    from ctxrepo.services.faults.finding import halfway
    from ctxrepo.services.repository.init import InitRequest

    def begins(plan: InitResult) -> bool:
        is_named = bool(read_settings(desk.places.config_file).repository)
        is_open = plan.action != "unchanged" or not is_named or halfway(desk.memory) is not None
        url = f"with {redact(plan.remote)}" if plan.remote else "without a remote"
        stands = f"to be {plan.action.replace('unchanged', 'finished')}" if is_open else plan.action
        line = f"{shown_path(plan.root, desk.places)} {url}, {stands}"
        return ask("repository", [line], is_open)

    request = InitRequest(remote, agrees=lambda code: ask("repository", [f"{code}; go on?"]), begins=begins)
    result = init(desk, request)
    desk.notice(*(attention(result.value.made.synced) if result.value.made.synced else ()))
    return result.exit_code


def _projects(desk: Desk) -> Mapping[str, Call]:
    """A line about each checkout in which agents worked, the current one first, with a call there."""
    from ctxrepo.app.sessions.past_search import search_index
    from ctxrepo.services.sessions.found_messages import indexed_sessions
    from ctxrepo.storage.user.sound import folder_facts

    sessions, _ = search_index(desk, lambda: indexed_sessions(desk.memory))
    folders = dict.fromkeys(Path(session.cwd) for session in sessions if session.cwd)
    pairs = desk.memory.outside.ask_each(folders, folder_facts, lambda folder: folder)
    here = desk.folder_facts.top
    unnamed = {name: value for name, value in desk.env.items() if name != "CTXREPO_PROJECT"}
    calls = {}
    for top in dict.fromkeys((here, *(facts.top for _, facts in pairs if facts.top))):
        call = desk.call if top == here else replace(desk.call, cwd=Path(top), environment=unnamed)
        try:
            project = desk.perform(lambda there, _: there.project, None, call)
        except CtxrepoError as error:
            desk.notice(f"{top} is left out: {error.message}. {error.hint}")
            continue
        if project:
            calls[f"{project.folder}: {_folder(desk, call)}"] = call
    return calls


def _remembered(desk: Desk) -> Sequence[str]:
    """What memory programs keep for this folder and for all projects, before there is a memory to compare."""
    places = (contents for contents in upkeep.list_sources(desk, None).value if contents.notes)
    return [
        f"{contents.place}: {counted(upkeep.entry_count(contents), 'entry', 'entries')} ({contents.source})"
        for contents in places
    ]


def _bring(desk: Desk, call: Call, source: str, offers: set[Offer], ask: Callable[..., bool]) -> int:
    """What a memory program keeps for a project, and this memory lacks. What it keeps for all projects is
    offered once; `offers` are those made so far."""
    title = f"{source} in {_folder(desk, call)}"

    def agrees(plans: Sequence[ImportPlan]) -> bool:
        batch = {(plan.contents.place, *_import_lines([plan])) for plan in plans if _import_lines([plan])}
        is_new = not batch <= offers
        offers.update(batch)
        return is_new and ask(title, _import_lines(plans), any(plan.changes for plan in plans))

    try:
        result = desk.perform(upkeep.import_memory, upkeep.ImportRequest(source, "", agrees), call)
        if not any(plan.changes for plan in result.value.plans):  # nobody was asked
            agrees(result.value.plans)
        return result.exit_code
    except (NotFound, UsageError):  # it has nothing there
        return 0
    except CtxrepoError as error:
        desk.notice(f"{title} is left out: {error.message}. {error.hint}")
        return 1


def _import_lines(plans: Sequence[ImportPlan]) -> Sequence[str]:
    """What would be brought, and what stays there until a person does something about it."""
    notes = (note for plan in plans for note in plan.notes)
    remarks = [f"{note.note.origin} is held back: {why}" for note in notes for why in note.fitted.refused]
    omissions = (omission for plan in plans for omission in plan.contents.not_taken if omission.is_open)
    remarks += [f"{omission.what} left out: {omission.why}" for omission in omissions]
    remarks += [f"`ctxrepo import {plans[0].contents.source} --dry-run` there shows more"] if remarks else []
    return [upkeep.sum_of(plans), *remarks] if any(plan.changes for plan in plans) else remarks


def _connect(desk: Desk, request: StartRequest, ask: Callable[..., bool]) -> int:
    """Every agent with a folder here."""

    def agrees(plan: Plan) -> bool:
        return ask(AGENTS[plan.agent].title, plan.summary or ["it is connected"], bool(plan.visible))

    every, is_trial = AgentsRequest(every=True), request.is_trial
    try:
        choices = Choices(request.permissions)
        result = set_up(desk, SetupRequest(every, agrees, False, is_trial, choices=choices))
    except CtxrepoError as error:
        if names := present(desk.machine):  # the only one: of several the others would be connected
            desk.notice(f"{AGENTS[names[0]].title} is left out: {error.message}. {error.hint}")
            return 1
        ask("agents", [error.message, error.hint], is_open=False)
        return 0
    for setup in result.value.done:
        if is_trial or not setup.plan.visible:  # nobody was asked
            agrees(setup.plan)
    return result.exit_code


def _look(desk: Desk, _: None) -> tuple[str, str, str]:
    """What a session here would be given; a command about a telling word, and its first answer."""
    from ctxrepo.app.sessions.delivered import ContextRequest, context
    from ctxrepo.app.sessions.past_search import SessionsRequest, search_index, search_sessions
    from ctxrepo.app.sessions.recall import MemoryRecallRequest, recall
    from ctxrepo.services.recall.recall import Question
    from ctxrepo.services.sessions.found_messages import telling_words
    from ctxrepo.services.sessions.session_search import SessionQuery

    packet = context(desk, ContextRequest()).value.text
    words, _is_whole = search_index(desk, lambda: telling_words(desk.memory, desk.project))
    for word in words:
        if hits := recall(desk, MemoryRecallRequest(Question(word))).value.hits:
            return packet, f"ctxrepo recall {word}", f"{hits[0].at}\n{hits[0].text}"
        with suppress(NotFound):
            session_hits = search_sessions(desk, SessionsRequest(SessionQuery(word))).value.hits
            first = min(session_hits, key=lambda hit: hit.message.when)
            about = f"{first.message.when[:10]} {first.agent} {first.project}"
            return packet, f"ctxrepo search --in sessions {word}", f"{about}\n{first.message.text}"
    return packet, "", ""


_FOLDER = "ctxrepo-demo"


@dataclass(frozen=True)
class DemoRequest:
    """Where to make it: a folder that is empty or missing."""

    folder: str = ""


def make_demo(desk: Desk, request: DemoRequest) -> Result[DemoMemory]:
    """Make a memory of invented people, four weeks old, to look around in."""
    from ctxrepo.services.demo.play_story import make_demo

    folder = (desk.cwd / Path(request.folder or _FOLDER).expanduser()).resolve()
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder", "Name another one: `ctxrepo demo FOLDER`.")
    if any((above / ".git" / "ctxrepo").exists() for above in folder.parents):
        raise UsageError(f"{folder} is in a memory, and would be sent with it", "Name a folder elsewhere.")
    return Result(make_demo(folder, desk.env, desk.interpreter, desk.now, desk.progress))
