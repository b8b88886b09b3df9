"""The worker finds what is in doubt, and looks again only where something changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from machines import Machine, make_ada

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.records.evidence import Kind
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Uncommitted
from ctxrepo.services.freshness.find_doubts import scan
from ctxrepo.services.notes.remember import remember_all
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.evidence import record
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.computed import all_doubts
from ctxrepo.storage.state.usage import UsageStore

FIRST = datetime(2026, 10, 1, 9, tzinfo=UTC)
OLD, NEW = "The payment service times out after 30 seconds", "The payment service times out after 60 seconds"
OTHERS = [
    "Deploys go out on Tuesdays from the release branch",
    "Invoices are rendered with weasyprint in src/pay/invoice.py",
    "The search index is rebuilt nightly at 02:00",
    "Ask before you touch the migrations folder",
]


class Remembering:
    """A memory that is told facts on certain days."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.on(1, *OTHERS)

    def on(self, day: int, *texts: str, scope: str = "", category: str = "", key: str = "") -> list[str]:
        """Remember these facts at once; their ids."""
        memory, project = self.machine.open(), self.machine.project()
        facts = [Fact(text, scope=scope, category=category, key=key) for text in texts]
        done = remember_all(memory, facts, project, Origin(memory.host), FIRST + timedelta(days=day))
        return [result.id for result in done]

    def say(self, kind: Kind, entry: str, day: int) -> None:
        """Record something of an entry."""
        memory, when = self.machine.open(), FIRST + timedelta(days=day)
        with drafting(memory, "edit", Origin(memory.host), when) as draft:
            record(draft, kind, entry, "shop/MEMORY.md", when)

    def work(self, day: int = 40) -> list[Doubt]:
        """What is in doubt once the worker has been there."""
        commit(self.machine.open(), FIRST + timedelta(days=day))
        self.machine.worker(lambda: FIRST + timedelta(days=day)).run()
        return self.machine.open().cache.ask(all_doubts)

    def scanned(self, day: int = 40) -> int:
        return scan(self.machine.open(), FIRST + timedelta(days=day))


@pytest.fixture
def shop(tmp_path: Path) -> Remembering:
    return Remembering(make_ada(tmp_path))


def test_a_newer_fact_puts_the_older_one_in_doubt_wherever_each_stands(shop: Remembering) -> None:
    (old,), (new,) = shop.on(2, OLD, category="gotcha"), shop.on(9, NEW)
    (doubt,) = shop.work()
    assert (doubt.kind, doubt.entry, doubt.by) == ("overtaken", old, new)
    assert doubt.words == f"perhaps overtaken by ^{new[:7]} of 2026-10-10"
    assert doubt.path == "shop/topics/gotcha.md"


def test_what_waits_for_a_commit_is_judged_by_what_is_recorded_of_it(shop: Remembering) -> None:
    shop.work(day=1)
    shop.machine.git("config", "--global", "commit.gpgsign", "true")
    shop.machine.git("config", "--global", "gpg.program", "/nowhere/gpg")
    (old,), (new,) = shop.on(2, OLD), shop.on(9, NEW)
    with pytest.raises(Uncommitted):
        commit(shop.machine.open(), FIRST + timedelta(days=10))
    assert shop.scanned()
    (doubt,) = shop.machine.open().cache.ask(all_doubts)
    assert (doubt.entry, doubt.by, doubt.since[:10]) == (old, new, "2026-10-10")


def test_facts_of_another_scope_and_of_the_same_moment_are_in_no_doubt(shop: Remembering) -> None:
    shop.on(2, OLD, scope="global")
    shop.on(9, NEW)
    assert shop.work() == []
    shop.on(12, "The mail service retries 3 times", "The mail service retries 5 times")
    assert shop.work() == []


def test_verified_later_it_is_in_no_doubt_and_verified_before_it_is(shop: Remembering) -> None:
    (old,) = shop.on(2, OLD)
    shop.say("verified", old, 5)
    shop.on(9, NEW)
    assert [doubt.kind for doubt in shop.work()] == ["overtaken"]
    shop.say("verified", old, 11)
    assert shop.work() == []


def test_what_nothing_is_recorded_of_is_as_old_as_its_commit(shop: Remembering) -> None:
    (stated,) = shop.on(4, OLD)
    shop.machine.write("shop/net.md", f"# Net\n\n- {NEW} or so\n")
    (doubt,) = shop.work(day=7)
    assert (doubt.entry, doubt.since[:10]) == (stated, "2026-10-08")
    shop.machine.write("shop/net.md", f"# Net\n\n- {NEW} or so\n- another line\n")
    assert [doubt.since[:10] for doubt in shop.work(day=9)] == ["2026-10-08"]
    shop.machine.write("shop/MEMORY.md", "- The mail queue is drained every 5 minutes by cron\n")
    shop.work(day=11)
    (stated,) = shop.on(10, "The mail queue is drained every 9 minutes by cron")
    assert [older.entry for older in shop.work(day=12) if older.by != doubt.by] == [stated]


def test_one_key_has_one_value(shop: Remembering) -> None:
    (old,) = shop.on(2, "5432 on the staging host", key="port")
    shop.machine.write("shop/by-hand.md", "- port: changed by the operators, ask for the new number\n")
    (doubt,) = shop.work()
    assert (doubt.kind, doubt.entry, doubt.subject) == ("value", old, "port")
    assert "has another value of port" in doubt.words


def test_contradicted_it_is_in_doubt_until_it_is_stated_or_verified_again(shop: Remembering) -> None:
    (entry,) = shop.on(2, OLD)
    shop.say("contradicted", entry, 5)
    (doubt,) = shop.work()
    assert (doubt.kind, doubt.words) == ("contradicted", "a session found otherwise on 2026-10-06")
    shop.say("stated", entry, 6)
    assert shop.work() == []


def test_what_many_sessions_were_given_and_none_used_is_idle(shop: Remembering) -> None:
    (entry,) = shop.on(2, OLD)
    memory = shop.machine.open()
    with UsageStore.writing(memory.state.usage) as store:
        for number in range(10):
            store.note("delivered", f"claude s{number}", entry, "shop/MEMORY.md", FIRST.timestamp() + number)
    assert [(doubt.kind, doubt.entry) for doubt in shop.work(day=10)] == []  # too young to tell
    (doubt,) = shop.work(day=15)
    assert (doubt.kind, doubt.entry, doubt.remark) == ("idle", entry, "")


def test_it_looks_again_only_where_something_changed(shop: Remembering) -> None:
    shop.work()
    assert shop.scanned() == 0
    shop.on(3, "The mail service retries 3 times")
    shop.work()
    assert shop.scanned() == 0
    assert shop.scanned(day=41) == 0  # nothing was counted yet: no day makes an entry idle


def test_an_edit_ends_it_at_once(shop: Remembering) -> None:
    (old,), _ = shop.on(2, OLD), shop.on(9, NEW)
    assert shop.work()
    edited = shop.machine.ctxrepo("edit", f"^{old}", "--old", "30 seconds", "--new", "60 seconds in tests")
    assert edited.returncode == 0
    machine = shop.machine
    machine.ctxrepo("list")
    assert machine.open().cache.ask(all_doubts) == []
