"""Any folder of markdown is one scope: everything in it but archives, and its paths as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxrepo.errors import NotFound, UsageError
from ctxrepo.hooks.recall.ranking import RecallRequest, rank_by_words
from ctxrepo.storage.cache.folder import SCOPE, folder_cache


def write(folder: Path, path: str, text: str = "- the quokka sleeps\n") -> None:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


def found(folder: Path, prompt: str = "where does the quokka sleep?") -> list[str]:
    with folder_cache(folder) as cache:
        hits = rank_by_words(cache.db, RecallRequest(prompt, [], [SCOPE], 50)).hits
        return sorted(cache.path_of(hit.path) for hit in hits)


def test_every_note_is_found_whatever_its_folders(tmp_path: Path) -> None:
    there = ["a.md", "B.MD", "inbox/b.md", "conflicts/c.md", "TAPE/d.md", "x/inbox/e.md", "a/b/c/d/e/f.md"]
    for path in [*there, "a/b/archive/deep.md"]:
        write(tmp_path, path)
    assert found(tmp_path) == sorted([*there, "a/b/archive/deep.md"])


@pytest.mark.parametrize(
    "path", ["archive/a.md", "shop/archive/a.md", ".git/a.md", "x/.hidden/a.md", "a.txt", ".md"]
)
def test_archives_and_what_is_no_note_stay_aside(tmp_path: Path, path: str) -> None:
    write(tmp_path, "kept.md")
    write(tmp_path, path)
    assert found(tmp_path) == ["kept.md"]
    with folder_cache(tmp_path) as cache:
        assert cache.notes == 1, "they aren't even read"


def test_links_are_not_followed_and_what_is_skipped_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    write(folder, "kept.md")
    write(tmp_path, "outside/secret.md")
    (folder / "linked.md").symlink_to(tmp_path / "outside/secret.md")
    (folder / "linked").symlink_to(tmp_path / "outside")
    write(folder, "huge.md", "- the quokka sleeps\n" * 120_000)
    assert found(folder) == ["kept.md"]
    with folder_cache(folder) as cache:
        assert cache.skipped == {"linked.md": "is not a regular file", "huge.md": "is larger than 2 MiB"}
        assert cache.notes == 1


def test_no_word_is_added_to_a_note(tmp_path: Path) -> None:
    """Neither the scope's name nor anything before its path can be found."""
    for number in range(12):
        write(tmp_path, f"topics/n{number}.md", "- rivers run\n")
    for word in (SCOPE, "folder", tmp_path.name):
        assert found(tmp_path, f"{word} {word}s wanted") == []


def test_a_name_that_is_no_utf8_is_told(tmp_path: Path) -> None:
    write(tmp_path, "kept.md")
    (tmp_path / "bad\udcff.md").write_bytes(b"- the quokka sleeps\n")
    with folder_cache(tmp_path) as cache:
        assert cache.skipped == {"bad\udcff.md": "has a name that is not UTF-8"}


def test_where_there_is_nothing_to_ask(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no notes"), folder_cache(tmp_path):
        pass
    with pytest.raises(UsageError, match="isn't a folder"), folder_cache(tmp_path / "gone"):
        pass
