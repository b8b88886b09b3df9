"""A command could save nothing in its sandbox, and printed a ticket: it is run again out here (ADR 84)."""

import _sqlite3
import os
import sys
import time

from ctxrepo.domain.text import passage, seal_shortly
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.locate import SessionFolder, place_of
from ctxrepo.hooks.known.world import World
from ctxrepo.hooks.own_files import ensure_private_folder
from ctxrepo.hooks.tickets import SECONDS, adds, number_in, words_of

_WAIT = 4.0
"""Seconds to wait for the command, which mostly takes less than one. It goes on when the hook doesn't."""

_POLL = 0.01

_ROOM, _OUTPUT = 2048, 1024
"""Bytes of the answer, and of what the command printed."""

_PREFIX = "ticket-"

_NOT_ALONE = (
    "Not run again: ctxrepo's hook runs a command outside of the sandbox if nothing else is on its line, no "
    "other command, pipe, variable or pattern"
)
_OTHER = "Not run again: the ticket is for other words or another project, or is older than ten minutes"
_SAVED = "The command was run again outside of the sandbox, and what it wrote is saved"
_FAILED = "The command was run again outside of the sandbox, and failed there, too"
_GOES_ON = "The command runs again outside of the sandbox and takes long; `ctxrepo history` tells if it saved"


def answer(db: _sqlite3.Connection, world: World, event: Event, output: str) -> str:
    """What became of the command of this event, which printed `output`; '' where there is nothing to tell: it
    is none that adds, or the same ticket was taken before."""
    words = words_of(event.command)
    if words and not adds(words):
        return ""
    project = place_of(db, world, SessionFolder(event.cwd)).project
    number = number_in(output, world.secret, project, words) if words else ""
    outcome, printed = _OTHER if words else _NOT_ALONE, ""
    try:
        if number and not _take(world, number):
            return ""
        if number:
            outcome, printed = _run(world, event, words)
    except OSError as error:
        outcome = f"Not run again: {error.strerror}"
    if event.silence_reason:
        return ""
    return seal_shortly(passage(f"## {outcome}\n", printed, _ROOM), world.secret)


def _take(world: World, number: str) -> bool:
    """Take a ticket, which only one can, and once; OSError where that can't be written down. Those that are
    too old by now are forgotten."""
    folder = f"{world.repo.state}/taken"
    if not ensure_private_folder(folder):
        raise NotADirectoryError(20, "ctxrepo's state folder can't be written", folder)
    oldest = f"{_PREFIX}{int(time.time()) - 2 * SECONDS:x}"
    for name in os.listdir(folder):
        if name.startswith(_PREFIX) and name < oldest:
            os.unlink(f"{folder}/{name}")
    try:
        os.close(os.open(f"{folder}/{_PREFIX}{number}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    return True


def _run(world: World, event: Event, words: list[str]) -> tuple[str, str]:
    """(what became of it, what it printed) of our own command with these words, in the event's folder and as
    its session. It has a process group of its own, and goes on when the hook has ended."""
    is_there = world.interpreter and os.access(world.interpreter, os.X_OK)
    program = world.interpreter if is_there else sys.executable
    reading, writing = os.pipe()
    streams = os.open(os.devnull, os.O_RDONLY), writing, writing
    os.chdir(event.cwd or ".")
    process = os.posix_spawn(
        program,
        [program, "-I", "-m", "ctxrepo", *words[1:]],
        _environment(world, event),
        file_actions=[(os.POSIX_SPAWN_DUP2, stream, number) for number, stream in enumerate(streams)],
        setpgroup=0,
        setsigmask=(),
    )
    end = time.monotonic() + _WAIT
    ended, status = 0, 0
    while not ended:
        if time.monotonic() > end:
            return _GOES_ON, ""
        time.sleep(_POLL)
        ended, status = os.waitpid(process, os.WNOHANG)
    os.write(writing, b"\n")  # so that nobody waits for a command that printed nothing
    printed = os.read(reading, _OUTPUT).decode("utf-8", "replace").strip()
    return _FAILED if status else _SAVED, printed


def _environment(world: World, event: Event) -> dict[str, str]:
    """As the agent's own commands have it, and with the places that the hooks know."""
    agent = __import__(f"ctxrepo.agents.{event.agent}", fromlist=["SESSION"])
    session = {agent.SESSION: event.session} if agent.SESSION and event.session else {}
    places = {
        "CTXREPO_STATE": world.state,
        "CTXREPO_CONFIG": world.config_file,
        "CTXREPO_HOME": world.repo.home,
    }
    return {**os.environ, **places, **agent.MARKS, **session}
