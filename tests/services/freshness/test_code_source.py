"""The worker doubts what a project's code has no longer, as its checkouts on this machine have it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from codebases import Codebase
from machines import make_ada

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.freshness.find_doubts import scan
from ctxrepo.services.freshness.project_code import checkouts_of, code_stamp, head_stamp
from ctxrepo.services.notes.remember import remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.evidence import new_record, record_all
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.cache.computed import all_doubts
from ctxrepo.storage.state.compiled import find_checkout, record_checkout


class Working:
    """A machine whose project has code, and a memory that is told facts; both at the code's moment."""

    def __init__(self, root: Path) -> None:
        self.machine = make_ada(root)
        self.code = Codebase(self.machine.project_folder)
        self.code.commit({"src/pay.py": "RETRIES = 3\ndef retry_policy(): pass\n", "a.py": "Client = 1\n"})

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self.code.now, UTC) + timedelta(hours=1)

    def told(
        self, text: str, *, code: str = "", cites: tuple[str, ...] = (), holds: tuple[str, ...] = ()
    ) -> str:
        """Remember a fact; the id of its entry."""
        memory = self.machine.open()
        done = remember(memory, Fact(text), self.machine.project(), Origin(memory.host), self.now)
        if code or cites or holds:
            with drafting(memory, "edit", Origin(memory.host), self.now) as draft:
                evidence = new_record(draft, "stated", done.id, "shop/MEMORY.md", self.now)
                record_all(draft, [replace(evidence, code=code, cites=cites, holds=holds)], self.now)
        return done.id

    def doubts(self) -> Sequence[Doubt]:
        commit(self.machine.open(), self.now)
        self.machine.worker(lambda: self.now).run()
        scan(self.machine.open(), self.now)
        return self.machine.open().cache.ask(all_doubts)

    def words(self) -> list[str]:
        return [doubt.words for doubt in self.doubts()]


@pytest.fixture
def work(tmp_path: Path) -> Working:
    return Working(tmp_path)


def test_what_entries_name_is_doubted_when_the_code_loses_it_and_no_longer_when_it_is_back(
    work: Working,
) -> None:
    work.told("Retries live in `src/pay.py`, by `retry_policy`.")
    assert not work.words()
    work.code.commit({"src/pay.py": None})
    assert sorted(work.words()) == [
        f"retry_policy is gone since {work.code.day()}",
        f"src/pay.py is gone since {work.code.day()}",
    ]
    work.code.commit({"src/pay.py": "def retry_policy(): pass"})
    assert not work.words()


def test_an_edit_of_the_entry_clears_it_and_so_does_its_confirmation(work: Working) -> None:
    first, second = work.told("Retries live in `src/pay.py`."), work.told("See `src/pay.py` for how to pay.")
    work.code.commit({"src/pay.py": None})
    third = work.told("Look at `src/pay.py`, too.", code=work.code.git("rev-parse", "HEAD~1"))
    assert len(work.words()) == 3
    work.machine.ctxrepo("edit", f"^{first}", "--old", "src/pay.py", "--new", "a.py")
    work.machine.ctxrepo("edit", f"^{third}", "--old", ", too", "--new", "")
    memory = work.machine.open()
    with drafting(memory, "edit", Origin(memory.host), work.now) as draft:
        evidence = new_record(draft, "verified", second, "shop/MEMORY.md", work.now)
        record_all(draft, [replace(evidence, code=work.code.git("rev-parse", "HEAD"))], work.now)
    assert not work.words()


def test_what_was_confirmed_counts_from_then(work: Working) -> None:
    entry = work.told("Rates are in `rates.py`.")
    work.code.commit({"rates.py": ""})
    memory = work.machine.open()
    with drafting(memory, "edit", Origin(memory.host), work.now) as draft:
        evidence = new_record(draft, "verified", entry, "shop/MEMORY.md", work.now)
        record_all(draft, [replace(evidence, code=work.code.git("rev-parse", "HEAD"))], work.now)
    assert not work.words()
    work.code.commit({"rates.py": None})
    assert work.words() == [f"rates.py is gone since {work.code.day()}"]


def test_a_checkout_that_may_not_be_what_it_says_is_not_asked(work: Working) -> None:
    work.told("See `src/pay.py`")
    work.doubts()
    memory = work.machine.open()
    row = find_checkout(memory.places.state, str(work.code.top))
    assert row
    record_checkout(memory.places.state, replace(row, claim="it belongs to another user"))
    work.code.commit({"src/pay.py": None})
    assert checkouts_of(memory, "shop") == []
    scan(memory, work.now)
    assert not memory.cache.ask(all_doubts)


def test_the_commit_that_is_recorded_with_an_entry_decides(work: Working) -> None:
    before = work.code.git("rev-parse", "HEAD")
    work.code.commit({"src/pay.py": None})
    work.told("Retries live in `src/pay.py`.")
    assert not work.words()
    work.told("To pay see `src/pay.py`.", code=before, cites=(f"a.py@{before}#L1",))
    work.code.commit({"a.py": "Client = 2\n"})
    days = work.code.day(1), work.code.day()
    assert sorted(work.words()) == [
        f"a.py#L1 has changed since {days[1]}",
        f"src/pay.py is gone since {days[0]}",
    ]


def test_a_claim_that_the_code_does_not_bear_out_any_more(work: Working) -> None:
    holds = ("src/pay.py::RETRIES=3", "!old.py", "a.py::Client", "src/pay.py::x ?", "nowhere.py")
    work.told("We retry three times", code=work.code.git("rev-parse", "HEAD"), holds=holds)
    assert not work.words()
    work.code.commit({"src/pay.py": "RETRIES = 4\n"})
    (doubt,) = work.doubts()
    assert (doubt.kind, doubt.subject) == ("claim", "src/pay.py::RETRIES=3")
    assert doubt.words == f"src/pay.py::RETRIES=3 holds no longer since {work.code.day()}"
    work.code.commit({"old.py": "", "a.py": "x = 1"})
    assert len(work.words()) == 3


def test_an_edit_of_the_entry_does_not_bear_out_its_claim(work: Working) -> None:
    entry = work.told("We retry three times", code="0" * 40, holds=("src/pay.py::RETRIES=3",))
    work.code.commit({"src/pay.py": "RETRIES = 4\n"})
    work.machine.ctxrepo("edit", f"^{entry}", "--old", "three times", "--new", "thrice")
    assert work.words() == [f"src/pay.py::RETRIES=3 holds no longer since {work.code.day()}"]


def test_notes_of_nobodys_code_are_not_looked_at(work: Working) -> None:
    memory = work.machine.open()
    remember(memory, Fact("See `src/pay.py`", scope="global"), None, Origin(memory.host), work.now)
    work.code.commit({"src/pay.py": None})
    assert not work.words()
    assert checkouts_of(memory, "global") == []


def test_of_several_checkouts_the_one_with_the_newest_commit_counts(work: Working, tmp_path: Path) -> None:
    work.told("See `src/pay.py`")
    work.doubts()
    work.code.git("worktree", "add", "-q", "--detach", str(tmp_path / "ada/beside"))
    work.code.commit({"src/pay.py": None})
    work.machine.ctxrepo("status", cwd=tmp_path / "ada/beside")
    memory = work.machine.open()
    assert {top.name for top in checkouts_of(memory, "shop")} == {"shop", "beside"}
    assert len(work.words()) == 1


def test_nothing_is_looked_for_again_until_the_code_has_another_commit(work: Working) -> None:
    work.told("See `src/pay.py`")
    work.doubts()
    assert scan(work.machine.open(), work.now) == 0
    work.code.commit({"b.py": ""})
    assert scan(work.machine.open(), work.now) == 1


def test_what_was_found_out_is_kept_and_made_anew_where_it_cannot_be_read(work: Working) -> None:
    work.told("By `retry_policy` and `never_there`.")
    work.doubts()
    file = work.machine.open().state.code / "shop.json"
    assert json.loads(file.read_text())["places"] == {"retry_policy": ["src/pay.py"], "never_there": []}
    for broken in (
        "",
        "[]",
        '{"commit": 1, "places": [], "past": {}}',
        '{"places": {"a": 3}, "past": {}, "commit": ""}',
    ):
        file.write_text(broken)
        work.code.commit({"src/pay.py": "x = 1" if not broken else f"# {len(broken)}"})
        assert [words.partition(" since")[0] for words in work.words()] == ["retry_policy is gone"]


def test_a_checkout_that_is_gone_or_hangs_keeps_nobody(work: Working) -> None:
    work.told("See `src/pay.py`")
    work.doubts()
    config = work.code.top / ".git/config"
    data = config.read_bytes()
    config.unlink()
    os.mkfifo(config)
    assert not work.machine.open().cache.ask(all_doubts)
    assert scan(work.machine.open(), work.now) <= 3
    config.unlink()
    config.write_bytes(data)
    work.code.top.rename(work.code.top.parent / "elsewhere")
    assert code_stamp(work.machine.open(), "shop", work.now) == head_stamp(work.code.top)
    scan(work.machine.open(), work.now)


def test_the_stamp_follows_commits_branches_and_worktrees(tmp_path: Path) -> None:
    shop = Codebase(tmp_path / "shop")
    shop.commit({"a.py": ""})
    shop.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "beside"))
    seen = {head_stamp(tmp_path / "beside"), head_stamp(shop.top)}
    shop.commit({"b.py": ""})
    seen.add(head_stamp(shop.top))
    shop.git("checkout", "-q", "--detach", "HEAD~1")
    seen.add(head_stamp(shop.top))
    assert len(seen) == 4
    assert head_stamp(shop.top) == head_stamp(shop.top)
