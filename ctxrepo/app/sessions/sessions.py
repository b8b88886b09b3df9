"""Agents' sessions of the last day, and switching one off and on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.formats.moment import second
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.storage.state.ledgers import Ledger


@dataclass(frozen=True)
class SwitchRequest:
    """Whether a session is to be given nothing any more; `session` is the beginning of its id, '' the one
    that the operation is performed in or the newest in its project."""

    is_off: bool
    session: str = ""


def list_sessions(desk: Desk, _: None) -> Result[Sequence[Ledger]]:
    """List the sessions of the last day, the newest first."""
    from ctxrepo.services.delivery.sessions import sessions

    found = sessions(desk.memory, desk.now)
    return Result(found, {"sessions": [_fields(one) for one in found]})


def switch(desk: Desk, request: SwitchRequest) -> Result[Ledger]:
    """Give a session nothing any more, or what it is due again."""
    from ctxrepo.services.delivery.sessions import Caller, session_meant, switch

    here = Caller(desk.cwd, desk.env, desk.session)
    meant = session_meant(desk.memory, request.session, here, desk.now)
    done = switch(meant, is_off=request.is_off)
    return Result(done, _fields(done))


def _fields(one: Ledger) -> dict[str, Any]:
    return {
        "agent": one.agent,
        "session": one.session,
        "cwd": one.cwd,
        "began": _moment(one.began),
        "last": _moment(one.touched),
        "off": one.is_off,
        "given": one.given,
    }


def _moment(at: float) -> str:
    return second(datetime.fromtimestamp(at, UTC)) if at else ""
