"""A cache that is filled says what one says that has grown note by note."""

from __future__ import annotations

import _sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from fields import fields
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.recall.prompt_query import find
from ctxrepo.storage.cache import update
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.entries import entries_of_scopes, notes_of_scopes

NONE = Marks()
SCOPES = ["global", "shop", "shop-two", "Ärger", "b"]
PATHS = st.builds(
    lambda scope, folder, name: f"{scope}/{folder}{name}.md",
    st.sampled_from(SCOPES),
    st.sampled_from(["", "topics/", "core/", "archive/"]),
    st.sampled_from(["a", "b", "MEMORY", "SCRATCHPAD"]),
)
TEXTS = st.lists(
    st.sampled_from(
        [
            "- walnut",
            "- almond oil *(pinned)*",
            "# Nuts",
            "hazel",
            "- two\n  lines",
            "- é",
            "- src/a.py",
            "- `Makefile`, b/a.py:3",
            "- [ ] walnut in src/a.py",
            "- [x] hazel",
        ]
    ),
    max_size=5,
).map(lambda lines: "---\ndescription: about nuts\n---\n" + "\n\n".join(lines) + "\n")
NOTES = st.dictionaries(PATHS, TEXTS, max_size=12)


def filled(path: Path, notes: dict[str, str], marks: Marks = NONE) -> Cache:
    cache = Cache.open(path)
    cache.fill("c1", notes, notes.get, marks, lambda _: None)
    return cache


def said(cache: Cache) -> tuple[object, ...]:
    notes = [
        (n.path, n.description, n.is_pinned, n.is_core, n.is_listed)
        for n in cache.ask(notes_of_scopes, SCOPES)
    ]
    db = open_cache(str(cache.path))
    assert db is not None
    recalled = {
        (word, scope): sorted(fields(hit)[:8] for hit in find(db, word, [scope], 100))
        for word in ("walnut", "almond", "nuts", "hazel", "lines")
        for scope in SCOPES
    }
    counts = db.execute("select name, entries from scope where entries > 0 order by name").fetchall()
    named = db.execute(
        "select name, id from mention join entry on entry = entry.rowid order by 1, 2"
    ).fetchall()
    assert len(named) == db.execute("select count(*) from mention").fetchone()[0]
    db.close()
    return notes, cache.ask(entries_of_scopes, SCOPES), recalled, counts, named


@pytest.mark.slow
@given(NOTES, NOTES)
def test_filled_or_grown_it_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, str], notes: dict[str, str]
) -> None:
    folder = tmp_path_factory.mktemp("cache")
    marks = Marks(struck=frozenset(e.id for p, t in notes.items() for e in Note(p, t).entries[:1]))
    grown = filled(folder / "grown.db", before)
    changed = [Note(path, text) for path, text in notes.items()]
    grown.apply("c2", changed, [path for path in before if path not in notes], marks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(update, "BATCH", 3)
        full = filled(folder / "full.db", notes, marks)
    assert said(full) == said(grown)
    assert_sound(full.path)
    assert_sound(grown.path)
    full.close()
    grown.close()


def assert_sound(path: Path) -> None:
    """The full-text index holds exactly the words of what it is an index of."""
    db = _sqlite3.connect(str(path), isolation_level=None)
    db.execute("insert into words(words, rank) values ('integrity-check', 1)")
    db.close()


def test_what_is_no_note_after_all_is_left_out(tmp_path: Path) -> None:
    notes: dict[str, str | None] = {"a/x.md": "- walnut", "a/link.md": None, "b/huge.md": None, "c.txt": "x"}
    cache = Cache.open(tmp_path / "cache.db")
    cache.fill("c1", notes, notes.get, NONE, lambda _: None)
    assert [note.path for note in cache.ask(notes_of_scopes, ["a", "b"])] == ["a/x.md"]
    assert cache.head == "c1"
    cache.close()


def test_it_has_no_head_before_all_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = filled(tmp_path / "cache.db", {"a/x.md": "- walnut"})
    heads = []

    def read(path: str) -> str:
        if path == "b/9.md":
            raise OSError("the disk is gone")
        return "- almond"

    monkeypatch.setattr(update, "BATCH", 4)
    with pytest.raises(OSError, match="gone"):
        cache.fill("c2", [f"b/{n}.md" for n in range(10)], read, NONE, lambda _: heads.append(cache.head))
    assert heads == ["", ""]
    assert cache.head == ""
    cache.close()


WRITER = """
import sys
from pathlib import Path
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.domain.note.note import Note
from ctxrepo.storage.cache.cache import Cache
number = sys.argv[2]
cache = Cache.open(Path(sys.argv[1]))
for turn in range(40):
    note = Note(f"shop/{number}-{turn % 7}.md", f"- walnut {turn}\\n- hazel")
    cache.apply(f"{number}-{turn}", [note], [], Marks())
    if turn % 20 == 13:
        notes = {f"shop/{number}-{n}.md": "- walnut" for n in range(30)}
        cache.fill("", notes, notes.get, Marks(), lambda _: None)
"""


def test_hooks_read_while_three_write(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    filled(path, {"shop/x.md": "- walnut"}).close()
    words = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*words, str(n)], stderr=subprocess.PIPE) for n in range(3)]
    seen = read_meanwhile(path, writers)
    assert [writer.communicate()[1] for writer in writers] == [b"", b"", b""]
    assert seen > 0
    assert_sound(path)


def read_meanwhile(path: Path, writers: Iterable[subprocess.Popen[bytes]]) -> int:
    """How often a hook found something, opening the cache each time as a hook does."""
    seen = 0
    while any(writer.poll() is None for writer in writers):
        db = open_cache(str(path))
        assert db is not None
        hits = find(db, "walnut or hazel", ["shop"], 4)
        assert all(hit.path.startswith("shop/") and hit.text.startswith("- ") for hit in hits)
        seen += bool(hits)
        db.close()
    return seen
