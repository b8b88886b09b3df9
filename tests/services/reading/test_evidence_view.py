"""Evidence that is asked for by what it is about is the same as if all files were parsed."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import get_args

import pytest
from copies import Copies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from machines import NOW, Machine, make_ada, make_machine

from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import EVIDENCE
from ctxrepo.domain.records.evidence import (
    Evidence,
    Kind,
    evidence_of,
    fate,
    marks,
    names_in,
    places_of_keys,
    renamed,
    to_line,
)
from ctxrepo.errors import Unreadable
from ctxrepo.services.reading import evidence_view
from ctxrepo.services.reading.evidence_view import evidence_in_view
from ctxrepo.services.reading.marks import evidence_now, marks_now, named_in_evidence, stated_keys
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache import evidence_rows
from ctxrepo.storage.memory import Memory

IDS = ["a", "b", "c", "d"]
FILES = [f"{EVIDENCE}/{name}.jsonl" for name in ("desk-202611", "lap-202611")]


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(make_ada)


def line(number: int, kind: Kind, entry: str, to: str, key: str) -> str:
    at, other = f"2026-11-{1 + number % 9:02}", to if to != entry else "x"
    if kind == "renamed":
        return to_line(Evidence(f"e{number}", at, kind, "", f"shop/{entry}.md", f"shop/{other}.md"))
    return to_line(Evidence(f"e{number}", at, kind, entry, "shop/a.md", other, key=key))


LINES = st.one_of(
    st.builds(
        line,
        st.integers(0, 60),
        st.sampled_from(get_args(Kind)),
        st.sampled_from(IDS),
        st.sampled_from(IDS),
        st.sampled_from(["", "Port", "host"]),
    ),
    st.builds(lambda number: json.dumps({"id": f"e{number}", "deleted": True}), st.integers(0, 60)),
    st.just('{"kind": "pinned", "ent'),
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(FILES),
        st.sampled_from(["append", "append", "merge", "rewrite", "remove", "clear the cache", "commit"]),
        st.lists(LINES, min_size=1, max_size=4),
    ),
    max_size=8,
)


def play(machine: Machine, memory: Memory, path: str, how: str, lines: list[str]) -> None:
    file = machine.clone / path
    file.parent.mkdir(parents=True, exist_ok=True)
    before = file.read_text().splitlines() if file.exists() else []
    match how:
        case "append":
            file.write_text("".join(f"{line}\n" for line in (*before, *lines)))
        case "merge":
            file.write_text("".join(f"{line}\n" for line in sorted({*before, *lines})))
        case "rewrite":
            file.write_text("\n".join([*lines, *before[1:]]))
        case "remove":
            file.unlink(missing_ok=True)
        case "clear the cache":
            memory.cache.clear()
        case "commit":
            commit(memory, NOW)


def parsed(machine: Machine) -> list[Evidence]:
    paths = sorted(path for path in FILES if (machine.clone / path).exists())
    return [record for path in paths for record in evidence_of(decode((machine.clone / path).read_bytes()))]


def assert_same(memory: Memory, every: list[Evidence]) -> None:
    view = evidence_in_view(memory)
    assert view.every() == every == evidence_now(memory)
    whole = marks(every)
    for entry in IDS:
        some, known = view.about([entry]), marks_now(memory, [entry])
        assert fate(some, entry) == fate(every, entry)
        assert (entry in known.struck) == (entry in whole.struck)
        assert known.pinned_at.get(entry) == whole.pinned_at.get(entry)
        assert view.naming([entry]) == [record for record in every if entry in names_in(record)]
    assert named_in_evidence(memory, IDS) == {name for evidence in every for name in names_in(evidence)} & {
        *IDS
    }
    assert view.beginning("e") == []
    assert renamed(view.renames()) == renamed(every)
    assert view.replacements() == [record for record in every if record.kind == "superseded"]
    for keys in (None, ["port"]):
        pairs = {key for _, key in places_of_keys(every) if keys is None or key in keys}
        assert {key for those in stated_keys(memory, keys).values() for key in those} == pairs


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_after_any_steps_it_is_what_the_files_say(
    mine: Machine, steps: list[tuple[str, str, list[str]]]
) -> None:
    for path in FILES:
        (mine.clone / path).unlink(missing_ok=True)
    memory = mine.open()
    for step in steps:
        play(mine, memory, *step)
        assert_same(memory, parsed(mine))


def test_what_the_cache_has_is_not_parsed_again(mine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    first = mine.remember("the port is 5432", key="port")
    commit(mine.open(), NOW)
    texts: list[str] = []
    for module in (evidence_rows, evidence_view):
        for name in {"evidence_of", "evidence_in_part"} & vars(module).keys():
            monkeypatch.setattr(module, name, partial(_noting, texts, getattr(module, name)))
    assert marks_now(mine.open(), [first.id]) == marks([])
    assert texts == []
    mine.remember("the port is 5433", key="port")
    memory = mine.open()
    assert marks_now(memory, [first.id]).struck == {first.id}
    assert marks_now(memory, [first.id]).struck == {first.id}
    (text,) = texts
    assert {json.loads(line)["kind"] for line in text.splitlines()} == {"stated", "superseded"}


def _noting(texts: list[str], parse: Callable[[str], object], text: str) -> object:
    texts.append(text)
    return parse(text)


def test_a_file_that_cannot_be_read_is_an_error(commoner: Path) -> None:
    mine = make_machine(commoner, "ada", TZ="UTC")  # with an `init` of its own: root's copies are root's
    mine.init()
    mine.write(FILES[0], line(1, "stated", "a", "", ""))
    assert evidence_now(mine.open())
    (mine.clone / FILES[0]).chmod(0)
    with pytest.raises(Unreadable):
        evidence_now(mine.open())
