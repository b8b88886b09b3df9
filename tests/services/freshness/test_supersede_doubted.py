"""A doubt is settled by one command, in one commit, which a revert takes back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from machines import Machine, make_ada

from ctxrepo.domain.doubts.doubt import Doubt
from ctxrepo.storage.cache.computed import put_doubts
from ctxrepo.storage.cache.entries import entry_by_id

OLD, NEW = "The payment service times out after 30 seconds", "The payment service times out after 60 seconds"


class Doubtful:
    """A memory in which one entry is in doubt, as a person sees it."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        machine.remember("Deploys go out on Tuesdays from the release branch")
        self.old = self.said("remember", OLD)["data"]["id"]
        self.new = self.said("remember", NEW, "--category", "gotcha")["data"]["id"]

    def said(self, *words: str) -> Any:
        answer = self.machine.json(*words)
        assert answer["exit"] == 0, answer
        return answer

    def doubts(self) -> list[str]:
        data = self.machine.json("stale")["data"]
        return [f"{doubt['kind']} {doubt['id']}" for doubt in data["doubts"]]

    def commits(self) -> int:
        return int(self.machine.git("rev-list", "--count", "HEAD"))


@pytest.fixture
def shop(tmp_path: Path) -> Doubtful:
    return Doubtful(make_ada(tmp_path))


def test_stale_lists_it_with_the_commands_that_settle_it(shop: Doubtful) -> None:
    (doubt,) = shop.machine.json("stale")["data"]["doubts"]
    assert (doubt["id"], doubt["by"], doubt["text"]) == (shop.old, shop.new.lstrip("^"), f"- {OLD}")
    text = shop.machine.ctxrepo("stale").stdout
    assert all(command in text for command in doubt["commands"])
    assert shop.machine.json("stale", "--scope", "global")["data"]["doubts"] == []
    nothing = shop.machine.ctxrepo("stale", "--project", "shop", "--scope", "project")
    assert (nothing.returncode, nothing.stdout) == (2, "")


def test_nothing_in_doubt_is_no_error(tmp_path: Path) -> None:
    done = make_ada(tmp_path).ctxrepo("stale")
    assert (done.returncode, done.stdout) == (0, "no entry is in doubt\n")


@pytest.mark.parametrize(("verb", "words"), [("accept", "the newer entry holds"), ("decline", "it holds")])
def test_it_is_an_item_to_decide_in_one_commit_that_undo_takes_back(
    shop: Doubtful, verb: str, words: str
) -> None:
    assert shop.doubts() == [f"overtaken {shop.old}"]
    (item,) = shop.machine.json("inbox")["data"]["items"]
    assert (item["kind"], item["path"]) == ("doubt", "shop/MEMORY.md")
    assert "1 entry may hold no longer" in shop.machine.ctxrepo("status").stdout
    assert f"-- {OLD}" in shop.machine.json("inbox", "show", item["id"])["data"]["diff"].replace("\n", " ")
    before = shop.commits()
    done = shop.machine.ctxrepo("inbox", verb, shop.old.lstrip("^"))
    assert (done.returncode, words in done.stdout) == (0, True), done
    assert shop.commits() == before + 1
    assert shop.machine.json("inbox")["data"]["items"] == []
    assert shop.doubts() == []
    recalled = [hit["id"] for hit in shop.machine.json("recall", "payment timeout seconds")["data"]["hits"]]
    assert (shop.old in recalled) == (verb == "decline")
    assert shop.machine.ctxrepo("undo").returncode == 0
    assert shop.doubts() == [f"overtaken {shop.old}"]


def test_read_search_and_recall_tell_it(shop: Doubtful) -> None:
    shop.doubts()
    words = f"(perhaps overtaken by {shop.new[:8]} of "
    assert f"{OLD} {words}" in shop.machine.ctxrepo("search", "30 seconds").stdout
    read = shop.machine.ctxrepo("read", shop.old)
    assert (read.stdout, words in read.stderr) == (f"- {OLD}\n", True)
    shop.machine.ctxrepo("forget", shop.new)
    assert shop.doubts() == []
    assert words not in shop.machine.ctxrepo("read", "MEMORY.md").stderr


def test_where_no_entry_is_newer_accept_forgets_it(shop: Doubtful) -> None:
    shop.machine.ctxrepo("inbox", "accept", shop.old.lstrip("^"))
    memory = shop.machine.open()
    known = memory.cache.ask(entry_by_id, shop.new.lstrip("^"))
    assert known
    doubt = Doubt(known.entry.id, known.entry.path, "gone", "a.py", "a.py is gone", "2026-10-03")
    memory.cache.change(put_doubts, "shop", "code", {doubt: known.hash}, "")
    done = shop.machine.ctxrepo("inbox", "accept", f"{known.entry.id}-gone")
    assert "forgotten" in done.stdout
    assert shop.machine.ctxrepo("read", shop.new).returncode == 3
