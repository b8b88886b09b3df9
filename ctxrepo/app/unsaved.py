"""A command in a sandbox that could save nothing: what it prints for the hook of the agent's tool."""

from collections.abc import Mapping, Sequence

from ctxrepo.agents.known import session_in
from ctxrepo.errors import Unsaved
from ctxrepo.hooks.tickets import adds, ticket
from ctxrepo.storage.state.compiled import read_settings
from ctxrepo.storage.user.places import Places

_HOW = (
    "If nothing else stood on the line of this command, ctxrepo's hook runs it again outside of the sandbox "
    "now, and tells what came of it. Until it does, nothing is saved."
)


def with_ticket(error: Unsaved, words: Sequence[str], env: Mapping[str, str]) -> Unsaved:
    """The error of the command with these words with a ticket for it, in an agent's session."""
    command = ["ctxrepo", *words]
    agent, _ = session_in(env)
    secret = read_settings(Places.of(env).state).get("secret", "") if agent and adds(command) else ""
    if not secret:
        return error
    hint = f"{_HOW} Else: {error.hint} {ticket(secret, error.project, command)}"
    return Unsaved(error.message, hint, error.project)
