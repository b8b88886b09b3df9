"""Files follow the commit without git's checkout: no edit is overwritten, and nothing reads as an edit that
is only not brought up to date yet."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from owned import own_of

from ctxrepo.domain.git.oid import blob_id
from ctxrepo.storage.clone.reffiles import WT, WT_NEXT
from ctxrepo.storage.disk.folders import Folders
from ctxrepo.storage.objects.store import Objects
from ctxrepo.storage.worktree import checkout as module
from ctxrepo.storage.worktree.checkout import Checkout
from ctxrepo.storage.worktree.scan import MAX_BYTES
from ctxrepo.storage.worktree.worktree import Worktree


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "clone"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return Checkout(Objects(own_of(root)), Worktree(root, tmp_path / "scratch"), tmp_path / "stamps.db")


def tree(checkout: Checkout, **files: str) -> str:
    """A tree of notes: `tree(checkout, a="- text")` holds a.md."""
    return checkout.objects.edit(
        None, {f"{name}.md": checkout.objects.store(t.encode()) for name, t in files.items()}
    )


def edited(checkout: Checkout, head: str) -> list[str]:
    return sorted(checkout.edited(checkout.snapshot(), head))


def based(checkout: Checkout) -> dict[str, bytes]:
    keys = checkout.objects.files(checkout.snapshot().base)
    return {path: checkout.objects.data(key) for path, key in keys.items()}


def files(checkout: Checkout) -> dict[str, str]:
    root = checkout.worktree.root
    return {p.name: p.read_text() for p in root.iterdir() if p.is_file()}


def test_files_come_change_and_go(checkout: Checkout) -> None:
    for wanted in ({"a": "1", "b": "1"}, {"a": "2", "c": "1"}, {}):
        head = tree(checkout, **wanted)
        assert checkout.check_out(head, checkout.snapshot()) == []
        assert files(checkout) == {f"{name}.md": text for name, text in wanted.items()}
        assert edited(checkout, head) == []
        assert checkout.objects.ref(WT) == checkout.objects.ref(WT_NEXT) == head


def test_what_a_person_did_reads_as_edits(checkout: Checkout) -> None:
    head = tree(checkout, a="1", b="1", c="1")
    checkout.check_out(head, checkout.snapshot())
    root = checkout.worktree.root
    (root / "a.md").write_text("mine")
    (root / "b.md").unlink()
    (root / "new.md").write_text("mine")
    assert edited(checkout, head) == ["a.md", "b.md", "new.md"]


def test_an_edit_made_since_we_looked_is_left_and_still_an_edit(checkout: Checkout) -> None:
    checkout.check_out(tree(checkout, a="1", b="1"), checkout.snapshot())
    head = tree(checkout, a="2", b="2", c="2")
    seen = checkout.snapshot()
    (checkout.worktree.root / "a.md").write_text("mine")
    (checkout.worktree.root / "c.md").write_text("mine")
    checkout.check_out(head, seen)
    assert files(checkout) == {"a.md": "mine", "b.md": "2", "c.md": "mine"}
    assert edited(checkout, head) == ["a.md", "c.md"]
    # Its base is the version it was made from, so that merging it takes nothing of the remote's back.
    assert based(checkout)["a.md"] == b"1"
    assert "c.md" not in based(checkout)


def test_what_is_held_back_keeps_its_file_and_its_base(checkout: Checkout) -> None:
    first = tree(checkout, a="1", b="1")
    checkout.check_out(first, checkout.snapshot())
    (checkout.worktree.root / "a.md").write_text("with a secret")
    head = tree(checkout, a="2", b="2")
    checkout.check_out(head, checkout.snapshot(), hold=["a.md"])
    assert files(checkout) == {"a.md": "with a secret", "b.md": "2"}
    assert edited(checkout, head) == ["a.md"]
    assert based(checkout)["a.md"] == b"1"


@pytest.mark.parametrize("batches", [0, 1, 2])
def test_a_checkout_killed_half_way_reads_as_no_edit(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, batches: int
) -> None:
    class Killed(BaseException):
        pass

    first = tree(checkout, a="1", b="1", c="1")
    checkout.check_out(first, checkout.snapshot())
    head = tree(checkout, a="2", c="2", d="2")
    done = list[object]()
    update = Worktree.update_unchanged

    def killed(worktree: Worktree, wanted: Any) -> object:
        if len(done) == batches:
            raise Killed
        done.append(wanted)
        return update(worktree, wanted)

    with monkeypatch.context() as patch:
        patch.setattr(module, "_BATCH", 1)
        patch.setattr(Worktree, "update_unchanged", killed)
        with pytest.raises(Killed):
            checkout.check_out(head, checkout.snapshot())
    assert edited(checkout, head) == []
    assert edited(checkout, first) == []
    checkout.check_out(head, checkout.snapshot())
    assert files(checkout) == {"a.md": "2", "c.md": "2", "d.md": "2"}


def test_an_edit_after_a_killed_checkout_is_an_edit(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.check_out(tree(checkout, a="1"), checkout.snapshot())
    head = tree(checkout, a="2")
    with monkeypatch.context() as patch:
        patch.setattr(Worktree, "update_unchanged", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            checkout.check_out(head, checkout.snapshot())
    (checkout.worktree.root / "a.md").write_text("mine")
    assert edited(checkout, head) == ["a.md"]


def test_what_must_not_reach_the_disk_stays_in_the_tree(checkout: Checkout, tmp_path: Path) -> None:
    store = checkout.objects.store
    link, huge = store(b"/etc/passwd"), store(b"x" * (MAX_BYTES + 1))
    blob = store(b"- x\n")
    head = checkout.objects.edit(
        None,
        {
            "good.md": blob,
            "link.md": f"120000:{link}",
            "exec.md": f"100755:{blob}",
            "huge.md": huge,
            "a\\b.md": blob,
            "con.md": blob,
            ".github/workflows/x.yml": blob,
            "sub": f"160000:{'1' * 40}",
        },
    )
    checkout.check_out(head, checkout.snapshot())
    root = checkout.worktree.root
    assert sorted(p.name for p in root.iterdir()) == [".git", "exec.md", "good.md"]
    assert not os.access(root / "exec.md", os.X_OK)
    assert edited(checkout, head) == []
    checkout.check_out(head, checkout.snapshot())
    assert edited(checkout, head) == []


def test_a_link_or_folder_in_the_way_is_left_and_reads_as_no_deletion(
    checkout: Checkout, tmp_path: Path
) -> None:
    root = checkout.worktree.root
    (root / "a.md").symlink_to(tmp_path / "victim")
    (root / "b.md").mkdir()
    head = tree(checkout, a="1", b="1", c="1")
    checkout.check_out(head, checkout.snapshot())
    assert (root / "a.md").is_symlink()
    assert (root / "b.md").is_dir()
    assert not (tmp_path / "victim").exists()
    assert (root / "c.md").read_text() == "1"
    assert edited(checkout, head) == []


def test_bytes_written_while_a_file_was_replaced_come_back(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.check_out(tree(checkout, a="1\n"), checkout.snapshot())
    put = Worktree._put

    def put_late(worktree: Worktree, folders: Folders, path: str, temporary: str) -> None:
        with (worktree.root / path).open("ab") as editor:
            put(worktree, folders, path, temporary)
            editor.write(b"late\n")

    monkeypatch.setattr(Worktree, "_put", put_late)
    (late,) = checkout.check_out(tree(checkout, a="2\n"), checkout.snapshot())
    assert (late.path, late.base, late.data) == ("a.md", blob_id(b"1\n"), b"1\nlate\n")
    assert files(checkout) == {"a.md": "2\n"}


def test_nothing_is_written_when_all_is_as_it_should_be(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = tree(checkout, a="1")
    checkout.check_out(head, checkout.snapshot())
    monkeypatch.setattr(Objects, "set_ref", lambda *_: pytest.fail("a ref was written"))
    checkout.check_out(head, checkout.snapshot())


def test_a_folder_in_a_notes_place_is_no_deletion(checkout: Checkout) -> None:
    head = tree(checkout, a="1", b="1", c="1")
    checkout.check_out(head, checkout.snapshot())
    root = checkout.worktree.root
    (root / "a.md").unlink()
    (root / "a.md").mkdir()
    (root / "b.md").unlink()
    assert edited(checkout, head) == ["b.md"]
    assert checkout.edited(checkout.snapshot(["a.md"]), head) == {"b.md"}  # at the top a missing file alarms
    (root / "a.md" / "below.md").write_text("mine")
    assert edited(checkout, head) == ["b.md"]
    assert "a.md" in checkout.snapshot().skipped
