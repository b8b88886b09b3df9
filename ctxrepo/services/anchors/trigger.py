"""What an anchor is left for, as the session's ledger tells it and not the agent that leaves one.

That is no lock: an agent with a shell could ask for an anchor in its user's place.

A user asks for an anchor in so many words (`ctxrepo anchor --from-prompt`, /memory-anchor in pi), which is
noted until an anchor is left. Or a prompt has a keyword: then the anchor of that name is noted until another
prompt comes, or another anchor is left."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.handoff_parts import one_line
from ctxrepo.errors import CtxrepoError, Refused
from ctxrepo.hooks.session.ledger_words import ANCHOR_REQUEST, NO_ANCHOR_REQUEST, RequestedAnchor
from ctxrepo.hooks.session.session import Session
from ctxrepo.lazy import dataclass
from ctxrepo.services.settings.session_settings import anchor_commands, tape_settings
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import Ledger

_MOST = 4000
"""Characters of a request that are handed on to the agent."""

_COMMAND = 'ctxrepo anchor NAME --summary "…" --purpose "…"'
_TOOL = "tape_handoff with a name, a summary and a purpose"

_ASKED = """\
The user wants an anchor here. Before you go on, {verb} this:
{call}
- name: in parts from the general to the particular, such as payments/retries, so that it can be found again
- summary: what the request below is about, in its language, in fewer than 18 words
- purpose: one or two words
Take these from the request; don't ask back. Then go on.

The user's request: {prompt}"""


@dataclass(frozen=True)
class Trigger:
    """What an anchor is left for, and the keywords that asked for it."""

    name: Literal["direct", "keyword", "manual"] = "direct"
    keywords: tuple[str, ...] = ()


@contextmanager
def triggered(memory: Memory, origin: Origin, name: str) -> Iterator[Trigger]:
    """The trigger of the anchor `name` that is left within this; what asked for it is done with afterwards,
    and what a keyword asked for under another name. Refused where `tape.mode` is `manual` and nobody asked
    for this one."""
    if not origin.session:
        yield Trigger()
        return
    session = Session(str(memory.places.state), memory.state.id, origin.agent, origin.session)
    wanted = session.record.anchor_request
    trigger = _trigger(wanted, name.strip())
    if trigger.name == "direct" and tape_settings(memory, origin.agent).mode == "manual":
        _forget(session, wanted)
        raise Refused(
            "tape.mode is manual: an agent leaves an anchor only where its user asks for one",
            "Go on without one. Users ask by a keyword in a prompt, by `ctxrepo anchor --from-prompt`, or "
            f"{anchor_commands()}.",
        )
    yield trigger
    _forget(session, wanted)


def ask_for_anchor(memory: Memory, asked: Ledger, prompt: str) -> str:
    """Note that the user of a session wants an anchor; what its agent is to be told of that."""
    session = Session(str(memory.places.state), memory.state.id, asked.agent, asked.session)
    session.note(ANCHOR_REQUEST)
    session.save()
    again = Session(str(memory.places.state), memory.state.id, asked.agent, asked.session)
    if not (again.record.anchor_request and again.record.anchor_request.is_manual):
        raise CtxrepoError(f"{asked.path} can't be written", "Look whether the disk is full.")
    verb, call = ("call", _TOOL) if tape_settings(memory, asked.agent).tools else ("run", _COMMAND)
    return _ASKED.format(verb=verb, call=call, prompt=one_line(prompt, _MOST))


def _trigger(wanted: RequestedAnchor | None, name: str) -> Trigger:
    if wanted is None:
        return Trigger()
    if wanted.is_manual:
        return Trigger("manual")
    return Trigger("keyword", wanted.keywords) if wanted.name == name else Trigger()


def _forget(session: Session, wanted: RequestedAnchor | None) -> None:
    if wanted:
        session.note(NO_ANCHOR_REQUEST)
        session.save()
