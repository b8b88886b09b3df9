"""The committed tree of a checkout of code, whatever its owner made of it."""

from __future__ import annotations

import os
import time
import unicodedata
from pathlib import Path

import pytest
from codebases import Codebase

from ctxrepo.errors import GitFailed
from ctxrepo.storage.code.tree import CodeTree


@pytest.fixture
def shop(tmp_path: Path) -> Codebase:
    shop = Codebase(tmp_path / "shop")
    shop.commit({"src/pay.py": "RETRIES = 3\n", "README.md": "# Shop\n"})
    return shop


def read(tree: CodeTree, path: str, most: int) -> bytes | None:
    return tree.bytes_of(tree.files.get(path), most)


def opened(folder: Path) -> CodeTree | None:
    return CodeTree.open(folder, dict(os.environ))


def test_it_is_what_is_committed_and_not_what_lies_there(shop: Codebase) -> None:
    (shop.top / "src/pay.py").write_text("RETRIES = 4\n")
    (shop.top / "new.py").write_text("")
    tree = shop.tree()
    assert (tree.moment.commit, tree.moment.seconds) == (shop.git("rev-parse", "HEAD"), shop.now)
    assert tree.paths == {"src", "src/pay.py", "README.md"}
    assert read(tree, "src/pay.py", 100) == b"RETRIES = 3\n"
    assert (read(tree, "src/pay.py", 3), read(tree, "new.py", 100), read(tree, "src", 100)) == (
        None,
        None,
        None,
    )


def test_from_a_folder_in_it_paths_are_those_from_the_top(shop: Codebase) -> None:
    inner = opened(shop.top / "src")
    assert inner
    assert inner.has("src/pay.py")
    assert inner.ending_with("pay.py") == ["src/pay.py"]
    assert inner.ending_with("ay.py") == []


def test_names_in_every_script_and_form(shop: Codebase) -> None:
    shop.commit({"src/größe naïve.py": "1", "src/支払い.py": "2", "src/a\nb.py": "3", "Src/Pay.py": "4"})
    tree = shop.tree()
    assert tree.has(unicodedata.normalize("NFD", "src/größe naïve.py"))
    assert read(tree, "src/支払い.py", 9) == b"2"
    assert read(tree, "src/a\nb.py", 9) == b"3"
    assert (read(tree, "Src/Pay.py", 9), read(tree, "src/pay.py", 99)) == (b"4", b"RETRIES = 3\n")


@pytest.mark.parametrize("kind", ["nowhere", "empty", "file"])
def test_without_a_commit_there_is_no_tree(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "empty":
        Codebase(place)
    elif kind == "file":
        place.write_text("")
    assert opened(place) is None


def test_a_bare_clone_a_worktree_and_a_sparse_checkout_have_the_whole_tree(
    shop: Codebase, tmp_path: Path
) -> None:
    shop.git("clone", "-q", "--bare", str(shop.top), str(tmp_path / "bare.git"))
    shop.git("worktree", "add", "-q", "--detach", str(tmp_path / "beside"))
    shop.git("sparse-checkout", "set", "docs")
    for place in (tmp_path / "bare.git", tmp_path / "beside", shop.top):
        tree = opened(place)
        assert tree
        assert tree.has("src/pay.py")


def test_a_shallow_clone_does_not_know_earlier_commits(shop: Codebase, tmp_path: Path) -> None:
    first = shop.git("rev-parse", "HEAD")
    shop.commit({"a.py": ""})
    shop.git("clone", "-q", "--depth=1", f"file://{shop.top}", str(tmp_path / "shallow"))
    tree = opened(tmp_path / "shallow")
    assert tree
    assert not tree.known([first])
    assert tree.last_before(shop.now - 1) == ""


def test_what_a_submodule_holds_is_not_known(shop: Codebase, tmp_path: Path) -> None:
    library = Codebase(tmp_path / "library")
    library.commit({"x.py": ""})
    shop.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library.top), "lib")
    shop.commit()
    tree = shop.tree()
    assert tree.is_in_submodule("lib/x.py")
    assert tree.is_in_submodule("lib")
    assert not tree.is_in_submodule("library/x.py")


HOSTILE = {
    "log.showSignature": "true",
    "gpg.program": "{script}",
    "core.fsmonitor": "{script}",
    "core.hooksPath": "{folder}",
    "core.sshCommand": "{script}",
    "core.pager": "{script}",
    "diff.external": "{script}",
    "diff.evil.textconv": "{script}",
    "diff.evil.command": "{script}",
    "filter.evil.smudge": "{script}",
    "filter.evil.clean": "{script}",
    "core.alternateRefsCommand": "{script}",
    "log.diffMerges": "off",
    "color.ui": "always",
    "core.quotePath": "true",
    "log.date": "relative",
    "diff.renames": "false",
    "diff.noprefix": "true",
}


def signed(shop: Codebase) -> str:
    """The last commit again, with a signature that somebody would have to check."""
    head, _, message = shop.git("cat-file", "commit", "HEAD").partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
    file = shop.top.parent / "commit"
    file.write_text(f"{head}\n{signature}\n\n{message}\n")
    return shop.git("hash-object", "-t", "commit", "-w", str(file))


def test_nothing_that_a_checkout_configures_is_run_or_changes_an_answer(
    shop: Codebase, tmp_path: Path
) -> None:
    shop.commit({".gitattributes": "* diff=evil filter=evil\n"})
    script, mark = tmp_path / "evil", tmp_path / "ran"
    script.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    script.chmod(0o755)
    shop.commit(moved={"src/pay.py": "src/paid.py"})
    shop.git("checkout", "-q", "-b", "side", "HEAD~1")
    shop.commit({"side.py": ""})
    shop.git("checkout", "-q", "main")
    shop.git("merge", "-q", "--no-edit", "side")
    shop.git("update-ref", "refs/heads/main", signed(shop))
    before = shop.tree()
    expected = before.log("", "-M"), before.files
    for key, value in HOSTILE.items():
        shop.git("config", key, value.format(script=script, folder=tmp_path))
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        (tmp_path / hook).write_bytes(script.read_bytes())
        (tmp_path / hook).chmod(0o755)
    mark.unlink(missing_ok=True)
    tree = shop.tree()
    assert (tree.log("", "-M"), tree.files) == expected
    assert read(tree, "src/paid.py", 100) == b"RETRIES = 3\n"
    assert tree.changed_since(shop.git("rev-parse", "HEAD~1")) is not None
    assert not mark.exists()


def test_a_pipe_in_the_place_of_gits_files_keeps_nobody_waiting(shop: Codebase) -> None:
    config = shop.top / ".git/config"
    config.unlink()
    os.mkfifo(config)
    began = time.monotonic()
    assert opened(shop.top) is None
    assert time.monotonic() - began < 4


def test_a_tree_that_is_damaged_is_told(shop: Codebase) -> None:
    tree = shop.tree()
    oid = shop.git("rev-parse", "HEAD:src")
    (shop.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(GitFailed):
        tree.has("src/pay.py")


def test_a_tree_that_is_too_large_is_not_read(shop: Codebase, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = shop.tree()
    monkeypatch.setattr("ctxrepo.storage.git.git.MOST_OUTPUT", 50)
    with pytest.raises(GitFailed):
        tree.has("src/pay.py")


def test_bytes_that_are_not_here_are_left_out(shop: Codebase) -> None:
    oid = shop.git("rev-parse", "HEAD:src/pay.py")
    (shop.top / ".git/objects" / oid[:2] / oid[2:]).unlink()
    tree = shop.tree()
    assert tree.has("src/pay.py")
    assert read(tree, "src/pay.py", 100) is None
    assert [data for _, data in tree.blobs(tree.files.values())] == [b"# Shop\n"]


def test_commits_are_found_by_time_and_by_what_they_share(shop: Codebase) -> None:
    first = shop.git("rev-parse", "HEAD")
    shop.git("checkout", "-q", "-b", "side")
    side = shop.commit({"side.py": ""})
    shop.git("checkout", "-q", "main")
    last = shop.commit({"a.py": ""})
    tree = shop.tree()
    assert tree.last_before(shop.now - 2 * 86_400) == first
    assert tree.last_before(shop.now) == last
    assert tree.last_before(0) == ""
    assert (tree.common_with(side), tree.common_with(first), tree.common_with("0" * 40)) == (first, first, "")
    assert tree.known([side, "0" * 40, "HEAD", "--help", side, ""]) == {side}
    assert tree.existing([(side, "side.py"), (side, "a.py"), (last, "src")]) == {
        (side, "side.py"),
        (last, "src"),
    }
