"""Where the memory stands, and whether agents are given it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ctxrepo.app.repository.decide import command
from ctxrepo.app.result import Result
from ctxrepo.domain.formats.moment import second

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.records.decision import ItemToDecide
    from ctxrepo.services.health.health import LastExchange
    from ctxrepo.services.health.status import Status
    from ctxrepo.services.locate.identify import Project


def status(desk: Desk, _: None) -> Result[Status]:
    """Say where the memory stands; the network isn't asked."""
    from ctxrepo.services.health.status import status
    from ctxrepo.services.locate.look import find_location
    from ctxrepo.services.projects.sparse import widen

    memory = desk.open_memory(or_last_settings=True)
    here = find_location(memory, desk.cwd, desk.env, lambda: desk.folder_facts)
    if not memory.config_error and not here.is_withheld:
        widen(memory, here.project, desk.now)
    now = status(memory, here, desk.machine)
    return Result(now, _fields(now))


def _fields(now: Status) -> dict[str, Any]:
    """As values; a moment is in ISO form, null where there was none."""
    return {
        **asdict(now),
        "project": _project(now.project) if now.project else None,
        "staged": now.staged,
        "to_decide": [_item(one) for one in now.to_decide],
        "root": str(now.root),
        "memory": str(now.root),
        "exchanged": _exchanged(now.exchanged),
        "agents": [{"agent": one.agent, "state": one.state} for one in now.agents],
        "served": {**asdict(now.served), "at": second(now.served.at)} if now.served else None,
        "fetched": second(now.exchanged.fetched) if now.exchanged.fetched else None,
    }


def _project(project: Project) -> dict[str, Any]:
    there = {"id": project.id, "folder": project.folder, "is_registered": project.is_registered}
    return {**there, "also": project.new_alias, "own": project.checkout_id}


def _item(one: ItemToDecide) -> dict[str, Any]:
    since = second(one.since) if one.since else None
    return {**asdict(one), "since": since, "choices": [command(one, choice) for choice in one.choices]}


def _exchanged(last: LastExchange) -> dict[str, Any] | None:
    if last.at is None:
        return None
    return {"at": second(last.at), "outcome": last.outcome, "reason": last.reason}
