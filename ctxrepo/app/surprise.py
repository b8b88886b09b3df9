"""What becomes of an error before it is shown: one that nobody expected is noted where it can be attached to
a report, and one of a sandbox gets what the hook of the agent's tool looks for."""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

import ctxrepo
from ctxrepo.errors import Busy, CtxrepoError, Unsaved, next_step


def log_traceback(env: Mapping[str, str]) -> str:
    """Append the current traceback to errors.log; returns the sentence that says where it is."""
    with suppress(Exception):
        import traceback  # nearly no command meets a surprise

        from ctxrepo.hooks.own_files import LOG_BYTES, append_rolling
        from ctxrepo.storage.disk.private import require_private
        from ctxrepo.storage.user.places import Places

        file = Places.of(env).state / "errors.log"
        require_private(file.parent, is_chosen=True)
        text = f"ctxrepo {ctxrepo.__version__}, Python {sys.version}\n{traceback.format_exc()}\n"
        append_rolling(str(file), text, LOG_BYTES)
        return f"The details are in {file}; please report them."
    return "Please report what you did."


def of_database(error: Exception, env: Mapping[str, str]) -> CtxrepoError | None:
    """The error to show if SQLite can't use the disk (the database itself is fine); None for any other."""
    import sqlite3  # most commands never get here

    if not isinstance(error, sqlite3.OperationalError):
        return None
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:  # such as a table that isn't there
        return None
    if "locked" in str(error):
        return Busy(
            "another ctxrepo process has been writing to its database for too long",
            "Nothing is lost; run the command again in a moment.",
        )
    if place := _read_only_state(env):
        return CtxrepoError(
            f"{place} is on a disk that is read-only", "Run the command again once it can be written to."
        )
    return CtxrepoError(
        f"ctxrepo can't use its database: {error}",
        "Check whether the disk or your quota is full or read-only, and run the command again.",
    )


def _read_only_state(env: Mapping[str, str]) -> str:
    """The state folder where its disk is read-only: SQLite only says that it can't open a file."""
    with suppress(Exception):
        from ctxrepo.storage.user.places import Places

        state = Places.of(env).state
        return str(state) if os.statvfs(state).f_flag & os.ST_RDONLY else ""
    return ""


def as_known(error: Exception, env: Mapping[str, str]) -> CtxrepoError:
    """The error to show for whatever went wrong; one that nobody foresaw is noted in errors.log."""
    if isinstance(error, CtxrepoError):
        return error
    report = log_traceback(env)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        hint = next_step(error) or "Remove what is in the way there, and run the command again."
        return CtxrepoError(f"{where}{error.strerror or error}", hint)
    unexpected = CtxrepoError(f"unexpected: {type(error).__name__}: {error}", report)
    return of_database(error, env) or unexpected


_HOW = (
    "If nothing else stood on the line of this command, ctxrepo's hook runs it again outside of the sandbox "
    "now, and tells what came of it. Until it does, nothing is saved."
)


def with_ticket(error: Unsaved, words: Sequence[str], env: Mapping[str, str]) -> Unsaved:
    """The error of the command with these words with a ticket for it, in an agent's session."""
    from ctxrepo.agents.known import agent_in  # few commands run in sandboxes
    from ctxrepo.hooks.tickets import adds, ticket
    from ctxrepo.storage.state.compiled import read_settings
    from ctxrepo.storage.user.places import Places

    command = ["ctxrepo", *words]
    secret = read_settings(Places.of(env).state).get("secret", "") if agent_in(env) and adds(command) else ""
    if not secret:
        return error
    hint = f"{_HOW} Else: {error.hint} {ticket(secret, error.project, command)}"
    return Unsaved(error.message, hint, error.project)
