"""Whatever is in a source: brought twice is as brought once, all is found, and what was here stays."""

from __future__ import annotations

import shutil
from collections import Counter
from functools import partial
from pathlib import Path

import pisources
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from long import mostly_long
from machines import NOW, Machine, make_machine

from ctxrepo.domain.merge.supplement import gist
from ctxrepo.domain.note.entry import entries_of
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.imports.destination import ImportPlan, MemoryDestination
from ctxrepo.services.imports.sources import FilesOutside, contents
from ctxrepo.services.reading.searching import SearchQuery, search
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.refresh import complete
from ctxrepo.sources.source import SourceSearch
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.processes.outside import Outside

WORDS = ("amber", "basalt", "cobalt", "dune", "ember", "fjord", "granite", "harbour")

facts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).map(" ".join)

lines = st.one_of(
    facts.map("- {}\n".format),
    facts.map("- [ ] {}\n".format),
    facts.map("- [x] {}\n  and more of it\n".format),
    facts.map("<!-- 2026-02-15 10:00:00 [a1b2c3d4] -->\n#decision {}\n\n".format),
    facts.map("\n{}\n\n".format),
    facts.map("- [lesson] {} *(pinned)*\n".format),
    st.sampled_from(["## Build\n\n", "# Memory\n\n", "\n", "```\ncode\n```\n\n"]),
)
notes = st.lists(lines, min_size=1, max_size=6).map("".join)
PATHS = ("MEMORY.md", "SCRATCHPAD.md", "daily/2026-02-15.md", "build.md", "archive/old.md")
folders = st.dictionaries(st.sampled_from(PATHS), notes, min_size=1)


def planned_at(machine: Machine, memory: Memory) -> tuple[MemoryDestination, list[ImportPlan]]:
    """Where an import goes, and what it would do there."""
    files = FilesOutside(Outside(machine.places.unresponsive))
    look = SourceSearch(machine.home, machine.env, files, "global", memory_root=memory.root)
    pending = partial(commit, memory, NOW)
    destination = MemoryDestination(memory, Origin(memory.host), NOW, "python3", pending)
    return destination, destination.plan(contents("pi-memory", look))


def brought(machine: Machine) -> tuple[int, dict[str, str]]:
    """Import, commit, and say how many entries were new and what all notes are."""
    memory = machine.open()
    destination, planned = planned_at(machine, memory)
    done = destination.put(planned)
    assert [n.fitted for plan in done for n in plan.notes] == [n.fitted for p in planned for n in p.notes]
    new = sum(note.fitted.new for plan in done for note in plan.notes)
    complete(memory, commit(memory, NOW).head)
    scope = machine.clone / "global"
    return new, {str(p.relative_to(scope)): p.read_text() for p in sorted(scope.rglob("*.md"))}


def entries(path: str, text: str) -> Counter[str]:
    return Counter(gist(entry.text) for entry in entries_of(f"global/{path}", text))


def test_what_was_written_last_is_committed_before_anything_is_planned(ada: Machine) -> None:
    ada.init()
    pisources.write(ada.home / ".pi/agent/memory", {"MEMORY.md": "- amber dune\n"})
    ada.remember("amber dune")
    planned_at(ada, ada.open())
    assert not ada.open().journal.read()
    assert "amber dune" in ada.git("show", "HEAD:shop/MEMORY.md")


@pytest.mark.slow
@pytest.mark.parametrize("examples", mostly_long([5, 40], keep=1))
def test_twice_is_once_all_is_found_and_nothing_is_lost(tmp_path: Path, examples: int) -> None:
    @settings(
        max_examples=examples,
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(theirs=folders, ours=folders)
    def holds(theirs: dict[str, str], ours: dict[str, str]) -> None:
        _once_and_for_all(tmp_path, theirs, ours)

    holds()


def _once_and_for_all(tmp_path: Path, theirs: dict[str, str], ours: dict[str, str]) -> None:
    shutil.rmtree(tmp_path / "ada", ignore_errors=True)
    machine = make_machine(tmp_path, "ada")
    machine.init()
    for path, text in ours.items():
        machine.write(f"global/{path}", text)
    commit(machine.open(), NOW)
    pisources.write(machine.home / ".pi/agent/memory", theirs)

    _, once = brought(machine)
    head = machine.git("rev-parse", "HEAD")
    assert brought(machine) == (0, once)
    assert machine.git("rev-parse", "HEAD") == head

    for path, text in ours.items():
        assert not entries(path, text) - entries(path, once[path])
    memory = machine.open()
    for path, text in theirs.items():
        for entry in entries_of(f"global/{path}", text):
            words = " ".join(word for word in entry.plain.split() if word in WORDS)
            assert not words or _is_found(memory, words, path)


def _is_found(memory: Memory, words: str, path: str) -> bool:
    hits = search(memory, SearchQuery(words), None, 1000)
    return any(hit.path == f"global/{path}" and set(words.split()) <= set(hit.text.split()) for hit in hits)
