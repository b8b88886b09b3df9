"""Every version of a file is found: on each side of merges, through renames, of what is gone, and quickly."""

from __future__ import annotations

import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from long import mostly_long
from owned import own_of
from repositories import make_checkout

from ctxrepo.services.history.versions import Step, came, follow, renamed_to
from ctxrepo.storage.objects.store import Author, Objects

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LONG = "- redis is on port 6380 for all tests\n- the cart needs a seed\n"
HEAD = "---\ndescription: Gotcha notes\ntags: [gotcha]\ncreated: 2026-11-20\n---\n\n"


class Past:
    """A repository whose commits are written down as files."""

    def __init__(self, root: Path) -> None:
        make_checkout(root)
        self.objects = Objects(own_of(root))
        self.names: dict[str, str] = {}

    def commit(self, name: str, files: dict[str, str], *parents: str, hour: int = 0) -> str:
        """Commit `files`, and nothing else; the name stands for the commit from then on."""
        keys = {path: self.objects.store(text.encode()) for path, text in files.items()}
        tree = self.objects.edit(None, keys)
        author, when = Author("Ada", "ada@example.org"), NOW + timedelta(hours=hour)
        made = self.objects.commit(tree, parents, name, author, when)
        self.names[made] = name
        return made

    def versions(self, tip: str, path: str) -> list[tuple[str, str]]:
        """(commit's name, path there) of each version, newest first."""
        steps = follow(self.objects, tip, path)
        return [(self.names[s.commit], s.now.path) for s in steps if s.is_version]


@pytest.fixture
def past(tmp_path: Path) -> Past:
    return Past(tmp_path / "memory")


def names(versions: list[tuple[str, str]]) -> str:
    return " ".join(name for name, _ in versions)


def test_only_commits_that_changed_the_file_are_its_versions(past: Past) -> None:
    first = past.commit("one", {"a.md": "1", "b.md": "1"})
    second = past.commit("two", {"a.md": "1", "b.md": "2"}, first)
    three = past.commit("three", {"a.md": "3", "b.md": "2"}, second)
    assert names(past.versions(three, "a.md")) == "three one"
    assert names(past.versions(three, "b.md")) == "two one"
    assert past.versions(three, "never.md") == []


def test_a_version_that_only_one_side_of_a_merge_had_is_found(past: Past) -> None:
    base = past.commit("base", {"a.md": "0"})
    ours = past.commit("ours", {"a.md": "1"}, base, hour=1)
    seen = past.commit("overwritten", {"a.md": "2"}, base, hour=2)
    theirs = past.commit("theirs", {"a.md": "1"}, seen, hour=3)
    merged = past.commit("merge", {"a.md": "1"}, ours, theirs, hour=4)
    assert names(past.versions(merged, "a.md")) == "theirs overwritten ours base"


def test_a_merge_is_a_version_when_it_has_what_no_side_had(past: Past) -> None:
    base = past.commit("base", {"a.md": "0"})
    ours, theirs = (past.commit(n, {"a.md": n}, base) for n in ("ours", "theirs"))
    for text, expected in (("both", "merge"), ("ours", ""), ("theirs", "")):
        merged = past.commit("merge", {"a.md": text}, ours, theirs)
        versions = names(past.versions(merged, "a.md"))
        assert versions.startswith("merge") == bool(expected)
        assert {"ours", "theirs", "base"} <= set(versions.split())


@pytest.mark.parametrize("edited", [LONG, LONG + "- and more\n"])
def test_a_rename_is_followed_with_and_without_an_edit(past: Past, edited: str) -> None:
    first = past.commit("one", {"p/a.md": HEAD + LONG, "p/b.md": HEAD})
    second = past.commit("two", {"p/topics/c.md": HEAD + edited, "p/b.md": HEAD}, first)
    three = past.commit("three", {"p/topics/c.md": HEAD + "- x\n", "p/b.md": HEAD}, second)
    assert past.versions(three, "p/topics/c.md") == [
        ("three", "p/topics/c.md"),
        ("two", "p/topics/c.md"),
        ("one", "p/a.md"),
    ]
    gone = next(follow(past.objects, three, "p/a.md"))
    assert (gone.now.key, renamed_to(past.objects, gone)) == (None, "p/topics/c.md")


def test_notes_that_share_a_head_only_are_two(past: Past) -> None:
    first = past.commit("one", {"a.md": HEAD + LONG})
    second = past.commit("two", {"b.md": HEAD + "- lunch is at noon\n"}, first)
    assert names(past.versions(second, "b.md")) == "two"
    gone = next(follow(past.objects, second, "a.md"))
    assert renamed_to(past.objects, gone) == ""


def test_an_edit_under_the_old_name_on_the_other_side_of_a_merge_is_found(past: Past) -> None:
    base = past.commit("base", {"a.md": LONG})
    renamed = past.commit("renamed", {"b.md": LONG}, base, hour=1)
    edited = past.commit("edited", {"a.md": LONG + "- new\n"}, base, hour=2)
    merged = past.commit("merge", {"b.md": LONG + "- new\n"}, renamed, edited, hour=3)
    steps = past.versions(merged, "b.md")
    assert ("edited", "a.md") in steps
    assert ("base", "a.md") in steps


def test_a_deleted_note_is_found_by_its_path_and_a_second_life_with_the_first(past: Past) -> None:
    first = past.commit("one", {"a.md": "1", "b.md": "x"})
    second = past.commit("two", {"b.md": "x"}, first)
    assert names(past.versions(second, "a.md")) == "two one"
    three = past.commit("three", {"a.md": "new", "b.md": "x"}, second)
    assert names(past.versions(three, "a.md")) == "three two one"


def test_a_file_and_a_folder_of_one_name_are_two(past: Past) -> None:
    first = past.commit("one", {"a.md": "file"})
    second = past.commit("two", {"a.md/b.md": "other"}, first)
    assert names(past.versions(second, "a.md/b.md")) == "two"


def test_when_files_came_is_when_they_were_last_added(past: Past) -> None:
    first = past.commit("one", {"c/a.md": "1"})
    second = past.commit("two", {"x.md": "1"}, first, hour=1)
    three = past.commit("three", {"c/a.md": "1", "c/d/b.md": "1"}, second, hour=2)
    four = past.commit("four", {"c/a.md": "2", "c/d/b.md": "1"}, three, hour=3)
    assert came(past.objects, four, "c", ["c/d/b.md", "c/a.md", "c/never.md"]) == {
        "c/a.md": NOW + timedelta(hours=2),
        "c/d/b.md": NOW + timedelta(hours=2),
    }


@pytest.mark.slow
@pytest.mark.parametrize("count", mostly_long([3_000, 10_000], keep=1))
def test_thousands_of_commits_are_gone_through_quickly(tmp_path: Path, count: int) -> None:
    feed = []
    for number in range(count):
        data = f"- {number}\n".encode()
        feed.append(
            b"commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata 1\nx\n" % (1_700_000_000 + number)
            + b"M 100644 inline shop/topics/n%d.md\ndata %d\n%s\n" % (number % 100, len(data), data)
        )
    make_checkout(tmp_path)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=tmp_path, input=b"".join(feed), check=True)
    objects = Objects(own_of(tmp_path))
    tip = objects.ref("refs/heads/main")
    assert tip
    began = time.process_time()
    steps: list[Step] = list(follow(objects, tip, "shop/topics/n7.md"))
    assert len(steps) == count / 100
    assert time.process_time() - began < 15
