"""Whose the two versions of a conflict are: the machines whose commits brought them, whoever merged."""

from __future__ import annotations

import pytest
from machines import NOW, Machine

from ctxrepo.app.views.deciding import item_view
from ctxrepo.app.views.view import Field
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.save import TOOL, Origin, Save
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.saving.commit import commit

NOTE = "shop/topics/port.md"


@pytest.fixture
def two(pair: tuple[Machine, Machine]) -> tuple[Machine, Machine]:
    pair[0].write(NOTE, "- the port is 1\n- stays\n")
    for machine in pair:
        machine.sync()
    return pair


def by_agent(machine: Machine, text: str, agent: str) -> None:
    """The note as a tool of an agent left it."""
    before = machine.read(NOTE).encode()
    machine.write(NOTE, text)
    memory = machine.open()
    save = Save(NOTE, before, text.encode(), TOOL, Origin(memory.host, "s-1", agent), NOW.isoformat(), "op")
    memory.journal.add([save])
    commit(machine.open(), NOW)


def apart(two: tuple[Machine, Machine]) -> None:
    ada, ben = two
    by_agent(ada, "- the port is 5\n- stays\n", "claude")
    by_agent(ben, "- the port is 9\n- stays\n", "codex")
    ada.write("global/other.md", "- of the same day\n")
    for machine in (ada, ben, ada):
        machine.sync()


def test_both_versions_are_told_from_whom_on_both_machines(two: tuple[Machine, Machine]) -> None:
    apart(two)
    ada, ben = (machine.open().host for machine in two)
    for machine in two:
        (item,) = items_to_decide(machine.open())
        assert (item.after, item.who, item.host) == ("- the port is 5", f"claude on {ada}", ada)
        assert item.who_before == f"codex on {ben}"
        shown = machine.ctxrepo("inbox", "show", item.name).stdout
        assert f"from     claude on {ada}, " in shown
        assert f"\nholds    the version of codex on {ben}\n" in shown
        assert "\n-- the port is 9\n+- the port is 5\n" in shown
        parts = item_view(item, NOW).sections[0].parts
        fields = {part.label: part.lines[0] for part in parts if isinstance(part, Field)}
        assert fields["from"].startswith(f"claude on {ada}, ")
        assert Field("holds", (f"the version of codex on {ben}",)) in parts


@pytest.mark.slow
def test_it_is_told_after_the_note_moved_and_changed_again(two: tuple[Machine, Machine]) -> None:
    apart(two)
    ada, _ = two
    assert ada.ctxrepo("move", "shop:topics/port", "shop:topics/ports").returncode == 0
    ada.write("shop/topics/ports.md", "- the port is 7 by now\n- stays\n")
    commit(ada.open(), NOW)
    (item,) = items_to_decide(ada.open())
    assert (item.path, item.who) == ("shop/topics/ports.md", f"claude on {ada.open().host}")


def test_versions_that_met_before_they_were_committed_are_of_that_commit(ada: Machine) -> None:
    ada.init()
    ada.write(NOTE, "- the port is 1\n")
    commit(ada.open(), NOW)
    memory, before = ada.open(), b"- the port is 1\n"
    for agent, port in (("claude", 5), ("codex", 9)):
        after, by = f"- the port is {port}\n".encode(), Origin(memory.host, agent, agent)
        memory.journal.add([Save(NOTE, before, after, "edit", by, NOW.isoformat(), agent)])
    ada.write(NOTE, "- the port is 9\n")
    commit(ada.open(), NOW)
    (item,) = items_to_decide(ada.open())
    both = f"claude, codex on {memory.host}"
    assert (item.after, item.who, item.who_before) == ("- the port is 5", both, both)


def test_what_no_commit_tells_is_not_guessed(ada: Machine) -> None:
    ada.init()
    path, data = copy_as_file(ConflictCopy(NOTE, "- 1", "- 5", "- 9"))
    ada.write(path, data.decode())
    (item,) = items_to_decide(ada.open())
    assert (item.since, item.who, item.host) == (None, "", ""), "no commit has it yet"
    ada.git("add", ".")
    ada.git("commit", "-qm", "by hand")
    (item,) = items_to_decide(ada.open())
    assert (item.who, item.host, item.who_before) == ("", "", "")


@pytest.mark.slow
@pytest.mark.parametrize("text", ["- the port is 50\n- stays\n", "- the port is 5, at least\n- stays\n"])
def test_a_longer_line_is_another_version(two: tuple[Machine, Machine], text: str) -> None:
    ada, ben = two
    by_agent(ada, text, "gemini")
    apart(two)
    (item,) = items_to_decide(ben.open())
    assert item.who == f"claude on {ada.open().host}"
