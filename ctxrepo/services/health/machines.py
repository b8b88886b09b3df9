"""All machines that share the memory, as far as commits and what waits here tell of them.

The network isn't asked and nothing is guessed: what a machine hasn't sent, only that machine knows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from ctxrepo import __version__
from ctxrepo.domain.formats.plain_data import OR_NULL
from ctxrepo.domain.git.commit import Writers, writers_of
from ctxrepo.domain.records.decision import Kind
from ctxrepo.lazy import dataclass
from ctxrepo.storage.memory import Memory

if TYPE_CHECKING:  # only its values are read
    from ctxrepo.services.health.status import Status

_WEEK = timedelta(days=7)

_MOST_COMMITS = 5_000
"""Commits that are looked through, the newest; a machine that wrote in none of them isn't known."""


@dataclass(frozen=True)
class KnownMachine:
    """What is known of a machine; '' and None stand for what isn't. The one without a `host` stands for all
    commits and items that name none, made by hand or on a forge.

    `last` is its newest commit; `week` counts those of seven days and `commits` all that were looked through,
    both without merges. `version` is the ctxrepo of its newest commit."""

    host: str = field(metadata=OR_NULL)
    is_here: bool
    last: datetime | None
    week: int
    commits: int
    version: str = field(metadata=OR_NULL)
    agents: Sequence[str]
    authors: Sequence[str]
    """Git's authors of its commits."""
    waits: Mapping[Kind, int]
    """Items to decide that came from it, as far as they are known here."""
    to_send: int | None
    """Its writes and commits that the remote hasn't."""


def known_machines(memory: Memory, status: "Status", now: datetime) -> list[KnownMachine]:
    """This machine first, then those whose commits are the newest, and last what names no machine."""
    objects, by_host = memory.objects, dict[str, list[_Commit]]()
    commits = objects.recent(memory.head) if memory.head else iter(())
    for oid in islice(commits, _MOST_COMMITS):
        header, is_merge = objects.header_of(oid), len(objects.parents(oid)) > 1
        commit = _Commit(header.when, header.author, writers_of(header.message), is_merge)
        for host in commit.writers.hosts or ("",):
            by_host.setdefault(host, []).append(commit)
    waits: dict[str, Counter[Kind]] = {memory.host: Counter()}
    for item in status.to_decide:
        waits.setdefault(item.host, Counter())[item.kind] += 1
    since = now - _WEEK
    known = {h: _known(h, by_host.get(h, ()), waits.get(h, {}), since) for h in by_host.keys() | waits.keys()}
    here, unsent = known[memory.host], status.waiting + status.ahead
    known[memory.host] = replace(here, is_here=True, version=__version__, to_send=unsent)
    return sorted(known.values(), key=_order)


@dataclass(frozen=True)
class _Commit:
    """A commit, as far as it is looked at."""

    when: datetime
    author: str
    writers: Writers
    is_merge: bool


def _known(host: str, commits: Sequence[_Commit], waits: Mapping[Kind, int], since: datetime) -> KnownMachine:
    own = [commit.when for commit in commits if not commit.is_merge]
    versions = commits[0].writers.versions if commits and len(commits[0].writers.hosts) == 1 else ()
    return KnownMachine(
        host=host,
        is_here=False,
        last=commits[0].when if commits else None,
        week=sum(when > since for when in own),
        commits=len(own),
        version=versions[0] if len(versions) == 1 else "",
        agents=sorted({agent for commit in commits for agent in commit.writers.agents}),
        authors=sorted({commit.author for commit in commits}),
        waits=waits,
        to_send=None,
    )


def _order(machine: KnownMachine) -> tuple[bool, bool, float, str]:
    last = machine.last.timestamp() if machine.last else 0.0
    return not machine.is_here, not machine.host, -last, machine.host
