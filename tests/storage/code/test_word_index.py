"""Which words the source files have and had, from one commit to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from codebases import Codebase

from ctxrepo.storage.code.file_history import History
from ctxrepo.storage.code.tree import CodeTree, TreeFile
from ctxrepo.storage.code.word_index import PLACES, is_partial, is_source, update_index, words_before


@pytest.fixture
def shop(tmp_path: Path) -> Codebase:
    shop = Codebase(tmp_path / "shop")
    shop.commit({"a.py": "def retry_policy(): MAX_TRIES\n", "b.ts": "useStream();", "c.md": "only_told"})
    return shop


WANTED = {"retry_policy", "MAX_TRIES", "useStream", "only_told", "policy"}


def test_words_of_source_files_count_and_not_what_is_told(shop: Codebase) -> None:
    places = update_index(shop.tree(), None, WANTED).places
    assert places == {
        "retry_policy": ("a.py",),
        "MAX_TRIES": ("a.py",),
        "useStream": ("b.ts",),
        "only_told": (),
        "policy": (),
    }


def test_after_a_commit_only_what_changed_is_read(shop: Codebase, monkeypatch: pytest.MonkeyPatch) -> None:
    first = update_index(shop.tree(), None, WANTED)
    shop.commit({"a.py": "def retry(): MAX_TRIES\n", "d.go": "policy"})
    read: list[str] = []
    blobs = CodeTree.blobs

    def noted(tree: CodeTree, files: Iterable[TreeFile]) -> Iterator[tuple[TreeFile, bytes]]:
        files = [*files]
        read.extend(file.oid for file in files)
        return blobs(tree, files)

    monkeypatch.setattr(CodeTree, "blobs", noted)
    second = update_index(shop.tree(), first, WANTED)
    assert second.places == update_index(shop.tree(), None, WANTED).places
    assert (second.places["retry_policy"], second.places["policy"]) == ((), ("d.go",))
    assert len(read[: len(read) // 2]) <= 2
    assert set(read[:2]) == {shop.git("rev-parse", f"HEAD:{name}") for name in ("a.py", "d.go")}


def test_a_word_of_many_files_is_looked_for_again_when_all_that_were_noted_lose_it(shop: Codebase) -> None:
    many = {f"m{number}.py": "common_word" for number in range(PLACES + 3)}
    shop.commit(dict(many))
    first = update_index(shop.tree(), None, {"common_word"})
    assert len(first.places["common_word"]) == PLACES
    shop.commit(dict.fromkeys(first.places["common_word"], "x"))
    assert len(update_index(shop.tree(), first, {"common_word"}).places["common_word"]) == 3


def test_a_commit_that_is_not_known_any_more_is_no_reason_to_be_wrong(shop: Codebase) -> None:
    first = update_index(shop.tree(), None, WANTED)
    shop.git("commit", "-q", "--amend", "-m", "again")
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "-q", "--prune=now")
    assert update_index(shop.tree(), first, WANTED).places == first.places


def test_which_words_earlier_commits_had(shop: Codebase) -> None:
    commits = [shop.git("rev-parse", "HEAD")]
    commits.append(shop.commit({"e.py": "later_word retry_policy"}))
    commits.append(shop.commit({"a.py": "x", "e.py": None}))
    tree = shop.tree()
    asked = {commit: {"retry_policy", "later_word", "never_word"} for commit in commits}
    paths = words_before(tree, History(tree, commits), asked)
    assert [{word: path for word, path in paths[c].items() if path} for c in commits] == [
        {"retry_policy": "a.py"},
        {"retry_policy": "a.py", "later_word": "e.py"},
        {},
    ]


def test_which_words_a_commit_of_another_branch_had(shop: Codebase) -> None:
    shop.git("checkout", "-q", "-b", "side")
    side = shop.commit({"s.py": "side_word"})
    shop.git("checkout", "-q", "main")
    last = shop.commit({"d.py": ""})
    tree = shop.tree()
    paths = words_before(tree, History(tree, [side, last]), {side: {"side_word"}, last: {"side_word"}})
    assert paths == {side: {"side_word": "s.py"}, last: {"side_word": ""}}


def test_where_a_source_file_is_not_here_no_word_is_known_to_be_gone(shop: Codebase) -> None:
    assert not is_partial(shop.tree())
    oid = shop.git("rev-parse", "HEAD:a.py")
    (shop.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    assert is_partial(shop.tree())


@pytest.mark.parametrize(
    "path", ["a.md", "x/CHANGES.txt", "package-lock.json", "a.min.js", "logo.svg", "Cargo.lock"]
)
def test_what_is_no_source(path: str) -> None:
    assert not is_source(path)


@pytest.mark.parametrize(
    "path", ["a.py", "Makefile", ".github/workflows/ci.yml", "package.json", "bin/run", ".env"]
)
def test_what_is_one(path: str) -> None:
    assert is_source(path)
