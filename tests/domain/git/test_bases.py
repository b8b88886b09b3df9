"""A lost record never turns a file into a deletion, nor what is on disk into something older."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.git.oid import bases_of_older_head, bases_of_same_head

TREES = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("1234"))


def test_what_the_lost_commits_had_counts_as_an_edit_of_the_older_one() -> None:
    files = {"f": "new"}
    bases = bases_of_older_head(files, {"f": "old"}, files, files, disk_is_newer=True)
    assert bases == {"f": "old"}


def test_a_file_that_lagged_behind_is_merged_as_a_stranger() -> None:
    bases = bases_of_older_head({"f": "1"}, {"f": "2"}, {"f": "1"}, {"f": "3"}, disk_is_newer=True)
    assert bases == {}


def test_the_history_of_others_is_no_older_version_of_what_is_on_disk() -> None:
    files = {"f": "mine"}
    assert bases_of_older_head(files, {"f": "theirs"}, files, files, disk_is_newer=False) == {}


def test_an_edit_since_keeps_its_base() -> None:
    bases = bases_of_older_head({"f": "edit"}, {"f": "1"}, {"f": "1"}, {"f": "1"}, disk_is_newer=False)
    assert bases == {"f": "1"}


def test_beside_the_same_head_a_base_that_is_there_is_kept() -> None:
    disk, head, base = {"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "c": "9"}, {"b": "8", "c": "7"}
    assert bases_of_same_head(disk, head, base, has=lambda key: key != "7") == {"a": "1", "b": "8"}


@given(disk=TREES, head=TREES, base=TREES, following=TREES, newer=st.booleans())
def test_no_law_makes_a_deletion(
    disk: dict[str, str],
    head: dict[str, str],
    base: dict[str, str],
    following: dict[str, str],
    newer: bool,
) -> None:
    older = bases_of_older_head(disk, head, base, following, disk_is_newer=newer)
    same = bases_of_same_head(disk, head, base, has=lambda key: True)
    assert (older.keys() | same.keys()) <= disk.keys()
    # A base that is what the file holds means "unedited": only where the branch holds the same.
    assert all(head[p] == key for p, key in older.items())
