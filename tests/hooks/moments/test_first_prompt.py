"""An agent forgets what its start's hook gave when it resumes a session, and calls no such hook after a
compaction: the index stands in each conversation once all the same."""

from __future__ import annotations

import json
from multiprocessing import get_context

import pytest
from world import World

from ctxrepo.hooks.dialect import AT_START, BESIDE_PROMPT, Dialect
from ctxrepo.hooks.door import answer
from ctxrepo.hooks.session.ledger_words import COMPACTED, PACKET
from ctxrepo.hooks.session.session import Session

INDEX = "## Index of notes"
PORT = "Which port does the staging database have?"


def forgetful(packet_at: str = AT_START) -> Dialect:
    return Dialect(
        name="hal",
        moments={"wake": "start", "ask": "prompt", "use": "tool", "sum": "compact", "help": "sub"},
        fields={
            "session": ("$.id",),
            "cwd": ("$.cwd",),
            "source": ("$.source",),
            "prompt": ("$.prompt",),
            "tool": ("$.tool",),
            "path": ("$.path",),
            "sub": ("$.sub",),
        },
        readers=frozenset(),
        most_bytes=9500,
        packet_at=packet_at,
        keeps_start=False,
        starts_after_compaction=False,
    )


def tell(world: World, event: str, dialect: Dialect | None = None, **fields: str) -> str:
    raw = json.dumps({"id": "s1", "cwd": str(world.code), **fields}).encode()
    return answer(dialect or forgetful(), event, str(world.state), raw)


def test_a_resumed_session_is_given_the_same_bytes_whatever_has_changed(world: World) -> None:
    first = tell(world, "wake")
    assert INDEX in first
    world.cache("c2", {"shop/topics/late.md": "- a new fact\n"})
    assert tell(world, "wake", source="resume") == first
    assert tell(world, "wake", source="resume") == first
    assert "late.md" in tell(world, "ask", prompt=PORT), "what changed comes with the next prompt"


def test_a_session_from_before_ctxrepo_is_given_its_packet_once_it_is_resumed(world: World) -> None:
    first = tell(world, "wake", source="resume")
    assert INDEX in first
    assert tell(world, "wake", source="resume") == first


def test_an_agent_that_keeps_it_is_given_nothing_when_it_resumes(world: World) -> None:
    assert world.run("SessionStart")
    assert world.run("SessionStart-resume", "SessionStart") == ""
    assert world.ledger().packet == ""


def test_a_session_that_is_off_is_not_given_it_again(world: World) -> None:
    assert tell(world, "wake")
    with (world.state / "sessions/hal-s1").open("a") as ledger:
        ledger.write("off\n")
    assert tell(world, "wake", source="resume") == ""


@pytest.mark.parametrize("then", ["ask", "use"])
@pytest.mark.parametrize("packet_at", [AT_START, BESIDE_PROMPT])
def test_after_a_compaction_the_packet_comes_with_what_is_next_and_once(
    world: World, then: str, packet_at: str
) -> None:
    dialect = forgetful(packet_at)
    tell(world, "wake", dialect)
    assert "5433" in tell(world, "ask", dialect, prompt=PORT)
    assert tell(world, "use", dialect, tool="edit", path="src/a.py") == ""
    assert tell(world, "sum", dialect) == ""
    given = tell(world, then, dialect, prompt=PORT, tool="edit", path="src/a.py")
    assert given.count(INDEX) == 1
    assert "5433" in given, "what was being asked is given again"
    assert tell(world, "use", dialect, tool="edit", path="src/a.py") == ""
    assert tell(world, "ask", dialect, prompt=PORT) == ""
    assert tell(world, "wake", dialect, source="resume") == "", "it stands in the conversation"
    tell(world, "sum", dialect)
    assert INDEX in tell(world, "ask", dialect, prompt="ok, thanks"), "each compaction anew"


def test_resumed_after_a_compaction_the_start_leaves_it_to_the_prompt(world: World) -> None:
    tell(world, "wake")
    tell(world, "sum")
    assert tell(world, "wake", source="resume") == ""
    assert tell(world, "ask", prompt=PORT).count(INDEX) == 1


def test_a_subagent_is_not_given_what_its_session_is_owed(world: World) -> None:
    tell(world, "wake")
    tell(world, "sum")
    assert INDEX not in tell(world, "use", tool="edit", path="src/a.py", sub="h1")
    assert INDEX in tell(world, "use", tool="edit", path="src/a.py")


def test_a_session_that_is_off_is_owed_it_until_it_is_on(world: World) -> None:
    tell(world, "wake")
    tell(world, "sum")
    ledger = world.state / "sessions/hal-s1"
    with ledger.open("a") as file:
        file.write("off\n")
    assert tell(world, "ask", prompt=PORT) == ""
    with ledger.open("a") as file:
        file.write("on\n")
    assert INDEX in tell(world, "ask", prompt=PORT)


def test_of_many_tool_calls_at_once_one_gives_it(world: World) -> None:
    session = Session(str(world.state), world.folder.name, "hal", "s1")
    session.note(COMPACTED)
    session.save()
    with get_context("fork").Pool(6) as pool:
        took = pool.starmap(_takes, [(str(world.state), world.folder.name)] * 24)
    assert sum(took) == 1


def _takes(state: str, repo: str) -> bool:
    return Session(state, repo, "hal", "s1").takes_packet()


@pytest.mark.parametrize(
    "text", ["", "a\nb\n", "\\n", "\\\\n\n\\", "x \\\n\\\\\n y", "é\u2028\r\n", "packet \n"]
)
def test_a_packet_is_read_from_the_ledger_as_it_was_given(world: World, text: str) -> None:
    session = Session(str(world.state), world.folder.name, "hal", "s1")
    session.note(PACKET, text)
    session.save()
    assert Session(str(world.state), world.folder.name, "hal", "s1").record.packet == text
    session.note(PACKET, "another")
    assert session.record.packet == "another"
