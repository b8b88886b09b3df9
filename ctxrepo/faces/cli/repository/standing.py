"""What `status` says: one screen for people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from ctxrepo.agents.known import AGENTS, SETUP_HINT
from ctxrepo.domain.formats.moment import ago, counted
from ctxrepo.domain.project.layout import shown

if TYPE_CHECKING:
    from ctxrepo.services.health.health import LastSession
    from ctxrepo.services.health.status import Status
    from ctxrepo.services.setup.connection import Standing

_STRUCK = 5
"""Entries that reviewers struck out of which each is told."""


def lines(now: Status, moment: datetime) -> Iterator[str]:
    """A line for each thing, under the same names every time."""
    is_there = now.checked_out == now.branch
    where = now.branch if is_there else f"{now.checked_out or 'no branch'} instead of {now.branch}"
    yield f"memory   {now.root} on {where}, {counted(now.notes, 'note')}"
    yield f"remote   {_remote(now, moment)}"
    yield f"project  {_project(now)}"
    if now.claim:
        given = "It is given nothing" if now.is_withheld else "It is given that memory"
        yield f"claim    {shown(now.claim)}. {given}; `ctxrepo project trust` says that it is yours"
    yield f"agents   {'; '.join(_agent(one) for one in now.agents) or _NONE}"
    yield f"session  {_session(now.served, moment)}"
    yield f"waiting  {now.waiting} to commit, {now.ahead} to send, {now.behind} to merge{_in_review(now)}"
    yield from (f"fault    {fault}" for fault in now.faults)
    if now.embedded:
        yield f"meaning  {now.embedded[0]} of {now.embedded[1]} texts embedded"
    if now.indexed:
        sessions, messages = (
            counted(now.indexed.sessions, "session"),
            counted(now.indexed.messages, "message"),
        )
        yield f"search   {sessions} indexed, {messages}, {now.indexed.bytes / 1e6:.1f} MB"
    if now.review:
        yield f"review   {now.review} waits for somebody to look at it"
    for one in now.declined:
        entries = counted(len(one.entries), "entry", "entries")
        yield f"declined {one.name}: {entries} struck out in a review, kept in {one.ref}"
        yield from (f"         - {entry}" for entry in one.entries[:_STRUCK])
    if now.declined:
        yield "         `ctxrepo declined dismiss` takes them off this list"
    if now.staged:
        waits = "1 proposal waits" if now.staged == 1 else f"{now.staged} proposals wait"
        yield f"inbox    {waits}; no session is given what is proposed, and no command accepts it yet"
    if now.obstacle:
        yield f"stopped  {now.obstacle}"


def _in_review(now: Status) -> str:
    return f", {now.in_review} in review" if now.review else ""


_NONE = f"none is connected: {SETUP_HINT}"


def _remote(now: Status, moment: datetime) -> str:
    if not now.remote:
        return "none: on this machine only"
    last = now.exchanged
    if last.at and last.outcome != "ok":
        well = f", the last that went well {ago(last.fetched, moment)}" if last.fetched else ""
        return f"{now.remote}; the last exchange, {ago(last.at, moment)}, failed ({last.outcome}){well}"
    return f"{now.remote}, {f'last exchange {ago(last.at, moment)}' if last.at else 'no exchange yet'}"


def _project(now: Status) -> str:
    if not now.project:
        return "none: global only"
    place = f"{now.project.id} in {now.project.folder}/"
    if now.project.is_registered:
        return place
    moved = "; if its address has changed: `ctxrepo project link`" if now.knows_others else ""
    return f"{place} (nothing written yet{moved})"


def _agent(one: Standing) -> str:
    title = AGENTS[one.agent].title
    if one.state == "absent":
        return f"{title} is not connected: `ctxrepo setup {one.agent}`"
    if one.findings:
        return f"{title} is connected, and something is wrong with it: `ctxrepo doctor`"
    return f"{title} is connected{' by its plugin' if one.state == 'plugin' else ''}"


def _session(served: LastSession | None, moment: datetime) -> str:
    if served is None:
        return "none was served on this machine yet"
    title = AGENTS[served.agent].title if served.agent in AGENTS else shown(served.agent)
    where = f" in {served.project}" if served.project else ""
    given = (
        "given nothing, as it was told"
        if served.is_off
        else f"given {counted(served.given, 'entry', 'entries')}"
    )
    return f"{title}{where}, {ago(served.at, moment)}, {given}"
