"""Records become entries by category and scope; what doesn't fit is counted, and nothing is cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.guard.refusals import MAX_BYTES
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.services.imports.sources import FilesOutside
from ctxrepo.sources.facts import SourceFact, contents_of_facts, day_of
from ctxrepo.sources.source import SourceSearch
from ctxrepo.storage.processes.outside import Outside


@pytest.fixture
def search(tmp_path: Path) -> SourceSearch:
    return SourceSearch(tmp_path, {}, FilesOutside(Outside(tmp_path / "silent")), "global")


@pytest.mark.parametrize(
    ("when", "day"),
    [
        ("2026-03-06T02:26:20+00:00", "2026-03-06"),
        ("2026-03-06 23:26:20", "2026-03-06"),
        ("2026-01-01T00:00:00+14:00", "2025-12-31"),
        (1_775_124_000_000, "2026-04-02"),
        (1_775_124_000, "2026-04-02"),
        ("yesterday", ""),
        (True, ""),
        (1e300, ""),
        pytest.param(10**400, "", id="huge"),
        ("9" * 400, ""),
        (None, ""),
    ],
)
def test_a_moment_is_a_day_however_it_is_written(when: object, day: str) -> None:
    assert day_of(when) == day


def test_many_facts_become_several_notes_that_may_be_written(search: SourceSearch) -> None:
    facts = [SourceFact(f"{number} {'word ' * 2_000}") for number in range(200)]
    contents = contents_of_facts(search, "x", search.home, facts)
    assert contents is not None
    assert [note.path for note in contents.notes][:2] == ["global/topics/fact.md", "global/topics/fact-2.md"]
    assert sum(len(note.bullets) for note in contents.notes) == 200
    assert all(sum(map(len, note.bullets)) < MAX_BYTES for note in contents.notes)


texts = st.text(max_size=40)


@given(
    st.lists(
        st.builds(
            SourceFact, texts, texts, st.lists(texts, max_size=2), texts, st.sampled_from(["", "a", "b"])
        )
    )
)
def test_every_fact_is_an_entry_or_counted(facts: list[SourceFact]) -> None:
    search = SourceSearch(Path("/home/ada"), {}, FilesOutside(Outside(Path("/nowhere"))), "global")
    search = replace(search, folder_of=lambda name: "a" if name == "a" else "")
    contents = contents_of_facts(search, "x", Path("/home/ada/x"), facts)
    notes = contents.notes if contents else ()
    for note in notes:
        assert all(len(entries_of(note.path, bullet)) == 1 for bullet in note.bullets)
    reasons = {item.what: item.why for item in contents.not_taken} if contents else {}
    elsewhere = sum(fact.project == "b" for fact in facts)
    assert (f"{elsewhere} entr" in str(reasons)) == bool(elsewhere)
    assert not any("\n- " in bullet for note in notes for bullet in note.bullets)


@pytest.mark.parametrize("field", ["text", "key", "project", "kind", "category"])
def test_a_character_that_a_program_cut_in_two_spoils_no_other_fact(search: SourceSearch, field: str) -> None:
    cut = SourceFact(**{"text": "The lift is broken", field: "Half a smile \ud83d"})
    contents = contents_of_facts(search, "x", search.home, [cut, SourceFact("The door is green")])
    assert contents is not None
    bullets = "".join(bullet for note in contents.notes for bullet in note.bullets)
    assert "The door is green" in bullets
    assert bullets.encode("utf-8")


def test_a_kind_that_looks_like_a_secret_names_no_note(search: SourceSearch) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    contents = contents_of_facts(search, "x", search.home, [SourceFact("The door is green", token)])
    assert contents is not None
    assert [note.path for note in contents.notes] == ["global/topics/fact.md"]
