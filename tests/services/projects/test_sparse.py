"""A sparse clone: the global notes and the projects that are worked on, and nothing else on disk."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from machines import NOW, PROJECT_URL, Machine, make_machine

from ctxrepo.services.health.clonecheck import damage
from ctxrepo.services.repository.init import InitRequest, init
from ctxrepo.services.rescue.mend import mend
from ctxrepo.storage.objects.packing import Loose


@pytest.fixture
def full(ben: Machine, remote: Path) -> Machine:
    """A machine with everything: notes of three projects."""
    subprocess.run(["git", "config", "uploadpack.allowFilter", "true"], cwd=remote, check=True)
    ben.init(str(remote))
    for folder in ("global", "one", "two"):
        for number in range(3):
            ben.write(f"{folder}/topics/n{number}.md", f"- {folder} says {number}\n")
    ben.remember("of the shop")
    ben.sync()
    return ben


@pytest.fixture
def sparse(full: Machine, remote: Path, tmp_path: Path) -> Machine:
    machine = make_machine(tmp_path, "sparse")
    url = remote.as_uri()  # a path would be cloned whole
    init(machine.places, machine.env, InitRequest(url, sparse=True), "", NOW)
    return machine


def folders(machine: Machine) -> set[str]:
    return {p.name for p in machine.clone.iterdir() if p.is_dir() and not p.name.startswith(".")}


def blobs_missing(machine: Machine) -> int:
    words = ("rev-list", "--objects", "--all", "--missing=print")
    return sum(line.startswith("?") for line in machine.git(*words).splitlines())


def test_only_what_is_worked_on_is_there(sparse: Machine) -> None:
    assert folders(sparse) == {"global"}
    assert blobs_missing(sparse) >= 7
    assert sparse.git("status", "--porcelain") == ""
    assert sparse.git("sparse-checkout", "list").splitlines() == [
        ".ctx", "TAPE/global", "conflicts", "global", "inbox"
    ]  # fmt: skip


def test_what_is_at_the_remote_on_purpose_is_no_damage(sparse: Machine) -> None:
    missing = blobs_missing(sparse)
    assert list(damage(sparse.open())) == []
    assert list(mend(sparse.open(), NOW)) == []
    assert blobs_missing(sparse) == missing


def test_a_project_comes_when_it_is_worked_on(sparse: Machine, full: Machine) -> None:
    assert sparse.ctxrepo("remember", "from the sparse clone").returncode == 0
    assert "of the shop" in sparse.read("shop/MEMORY.md")
    assert sparse.ctxrepo("sync").returncode == 0
    assert folders(sparse) == {"global", "shop"}
    assert sparse.git("status", "--porcelain") == ""
    full.sync()
    assert "from the sparse clone" in full.read("shop/MEMORY.md")
    assert full.read("one/topics/n1.md") == "- one says 1\n"


def test_what_others_change_elsewhere_passes_through_untouched(sparse: Machine, full: Machine) -> None:
    full.write("one/topics/n1.md", "- one says something new\n")
    full.write("global/topics/n1.md", "- global says something new\n")
    full.sync()
    sparse.write("global/topics/n2.md", "- by the sparse clone\n")
    done = sparse.sync()
    assert (done.remote.ok, done.held) == (True, ())
    assert sparse.read("global/topics/n1.md") == "- global says something new\n"
    assert folders(sparse) == {"global"}
    assert sparse.git("status", "--porcelain") == ""
    full.sync()
    assert sparse.tree() == full.tree()
    assert full.read("two/topics/n2.md") == "- two says 2\n"


def test_a_note_outside_that_both_changed_is_brought_for_the_merge(sparse: Machine, full: Machine) -> None:
    sparse.write("one/topics/n1.md", "- one says 1\n- by the sparse clone\n")
    full.write("one/topics/n1.md", "- one says 1\n- by the full one\n")
    full.sync()
    sparse.sync()
    full.sync()
    assert set(full.read("one/topics/n1.md").splitlines()) == {
        "- one says 1", "- by the sparse clone", "- by the full one"
    }  # fmt: skip
    assert sparse.tree() == full.tree()


def facts(text: str) -> set[str]:
    return {line for line in text.splitlines() if line.startswith("- ")}


def test_a_file_put_where_a_note_is_left_out_only_adds(sparse: Machine, full: Machine) -> None:
    """By hand, by an agent's tool, as another note that is moved: nobody saw what it would replace."""
    full.write("one/topics/n2.md", "".join(f"- fact number {n}\n" for n in range(12)))
    full.sync()
    sparse.sync()
    sparse.write("one/topics/n1.md", "- typed by hand\n")
    (sparse.clone / "one/topics/n2.md").write_text("- and here\n")
    assert sparse.sync().held == ()
    full.sync()
    assert facts(full.read("one/topics/n1.md")) == {"- one says 1", "- typed by hand"}
    assert facts(full.read("one/topics/n2.md")) == {"- and here", *(f"- fact number {n}" for n in range(12))}
    assert full.read("one/topics/n0.md") == "- one says 0\n"
    # From now on it is on disk, and what a hand takes out of it is taken out.
    sparse.write("one/topics/n1.md", "- typed by hand\n")
    sparse.sync()
    full.sync()
    assert facts(full.read("one/topics/n1.md")) == {"- typed by hand"}
    assert sparse.git("status", "--porcelain") == ""


@pytest.mark.parametrize(
    "words",
    [
        ("remember", "by scope", "--scope", "one", "--note", "topics/n1.md"),
        ("remember", "by scope", "--note", "one:topics/n1.md"),
        ("move", "topics/by.md", "one:topics/by.md"),
        ("read", "one/topics/n1.md"),
        ("list", "--scope", "one"),
        ("search", "says", "--scope", "one"),
    ],
    ids=lambda words: " ".join(words),
)
def test_a_command_that_names_a_project_brings_its_notes(
    sparse: Machine, full: Machine, words: tuple[str, ...]
) -> None:
    registry = full.read("ctxrepo.toml")
    full.write(
        "ctxrepo.toml", registry.replace("[projects]\n", '[projects]\n"git.example.org/one" = "one"\n')
    )
    full.sync()
    sparse.sync()
    sparse.write("global/topics/by.md", "- by scope\n")
    done = sparse.ctxrepo(*words)
    assert done.returncode == 0, done.stderr
    assert "one says 1" in sparse.read("one/topics/n1.md")
    assert not (sparse.clone / "two").exists()
    sparse.sync()
    full.sync()
    assert {"- one says 0", "- one says 1"} <= facts(
        full.read("one/topics/n0.md") + full.read("one/topics/n1.md")
    )


def test_what_is_not_here_is_not_told_as_none(sparse: Machine, full: Machine) -> None:
    (known,) = (full.json("remember", "where docks are", "--note", "topics/docks.md")["data"]["id"],)
    (unsaid,) = full.json("read", "one/topics/n1.md")["data"]["entries"]
    full.sync()
    sparse.sync()
    elsewhere = sparse.home.parent
    for words in (
        ("search", "docks"),
        ("read", unsaid["id"]),
        ("edit", unsaid["id"], "--old", "a", "--new", "b"),
    ):
        done = sparse.ctxrepo(*words, cwd=elsewhere)
        assert done.returncode == 3
        assert "It may be in what is not on this machine: one, shop, two." in done.stderr
    # What was recorded of an entry tells where it is.
    assert "where docks are" in sparse.ctxrepo("read", known, cwd=elsewhere).stdout
    assert folders(sparse) == {"global", "shop"}


def test_what_git_has_here_is_brought_without_the_remote(full: Machine, remote: Path) -> None:
    """A person's own git has narrowed a full clone."""
    full.git("status")  # or git would leave files whose stamps it doesn't know
    full.git("sparse-checkout", "set", "--cone", "global", "conflicts", "inbox", ".ctx", "TAPE/global")
    full.sync()
    remote.rename(remote.with_suffix(".away"))
    elsewhere = full.home.parent
    why = full.ctxrepo("why", "one/topics/n1.md", cwd=elsewhere)
    assert "state    current" in why.stdout
    assert folders(full) == {"global", "one"}
    full.write("two/topics/n1.md", "- two says more\n")
    assert full.ctxrepo("remember", "of the shop, too").returncode == 0
    full.ctxrepo("sync")
    assert facts(full.read("two/topics/n1.md")) == {"- two says 1", "- two says more"}
    assert "of the shop\n" in full.read("shop/MEMORY.md")


def test_what_a_commit_did_elsewhere_can_be_undone(sparse: Machine, full: Machine) -> None:
    full.write("one/topics/n1.md", "- one says something wrong\n")
    full.sync()
    sparse.sync()
    done = sparse.ctxrepo("undo", full.git("rev-parse", "HEAD").strip())
    assert done.returncode == 0, done.stderr
    sparse.sync()
    full.sync()
    assert full.read("one/topics/n1.md") == "- one says 1\n"


def test_without_the_remote_nothing_is_written_where_notes_are_left_out(
    sparse: Machine, remote: Path
) -> None:
    away = remote.with_suffix(".away")
    remote.rename(away)
    for words in (("remember", "of the shop, too"), ("read", "one/topics/n1.md")):
        done = sparse.ctxrepo(*words)
        assert (done.returncode, done.stdout) == (1, "")
        assert "are not on this machine, and the remote can't be asked" in done.stderr
    assert sparse.ctxrepo("remember", "everywhere", "--scope", "global").returncode == 0
    assert sparse.ctxrepo("status").returncode == 0
    away.rename(remote)
    assert sparse.ctxrepo("remember", "of the shop, too").returncode == 0
    assert "of the shop" in sparse.read("shop/MEMORY.md").split("of the shop, too")[0]


def test_what_a_person_staged_stays_staged(sparse: Machine, full: Machine) -> None:
    sparse.write("global/staged.md", "- staged\n")
    sparse.git("add", "global/staged.md")
    full.write("two/topics/n0.md", "- two says more\n")
    full.sync()
    assert sparse.sync().remote.ok
    assert sparse.git("status", "--porcelain") == ""  # our commit has taken it


def test_a_clone_with_a_worktree_of_a_project_url_is_known_by_it(sparse: Machine) -> None:
    assert sparse.json("status")["data"]["project"]["id"] == PROJECT_URL.removeprefix(
        "https://"
    ).removesuffix(".git")


def test_a_project_renamed_in_a_sparse_clone_is_there_and_whole(sparse: Machine, full: Machine) -> None:
    assert sparse.ctxrepo("project", "rename", "store").returncode == 0
    assert sparse.ctxrepo("sync").returncode == 0
    assert folders(sparse) == {"global", "store"}
    assert "of the shop" in sparse.read("store/MEMORY.md")
    assert sparse.git("status", "--porcelain") == ""
    full.remember("and more")
    full.sync()
    assert sparse.ctxrepo("sync").returncode == 0
    assert "and more" in sparse.read("store/MEMORY.md")
    listed = sparse.json("project", "list")["data"]
    assert [(p["folder"], p["notes"]) for p in listed["projects"]] == [("store", 1)]
    assert listed["unclaimed"] == ["one", "two"]


def test_a_sparse_clone_can_be_linked_to_a_folder_that_is_not_there(sparse: Machine) -> None:
    assert sparse.ctxrepo("project", "link", "one").returncode == 0
    assert "one says 1" in sparse.read("one/topics/n1.md")
    assert sparse.ctxrepo("project", "rename", "two").returncode == 6


def test_its_objects_are_packed_without_asking_the_remote(sparse: Machine, remote: Path) -> None:
    assert sparse.ctxrepo("remember", "from the sparse clone").returncode == 0
    sparse.sync()
    missing = blobs_missing(sparse)
    remote.rename(remote.with_suffix(".away"))
    memory = sparse.open()
    assert Loose(memory.clone.git_dir, memory.git).pack().ok
    led_to = sparse.git("rev-list", "--objects", "--all", "--missing=allow-any", "--no-object-names").split()
    files = [*(sparse.clone / ".git/objects").glob("[0-9a-f][0-9a-f]/*")]
    assert not {file.parent.name + file.name for file in files} & {*led_to}
    assert blobs_missing(sparse) == missing
    assert "from the sparse clone" in sparse.git("show", "HEAD:shop/MEMORY.md")
