"""Something comes where a note or a folder was, syncs pass it over, and it goes again: nobody loses a note by
that, and what comes back is on disk again."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from copies import Copies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long import mostly_long, rotating
from machines import NOW, Machine, make_machine, make_pair, make_remote
from needs import needs_root
from odd import bound_socket, folder, link_to_nothing, loop, pipe

from ctxrepo.domain.project.target import Target
from ctxrepo.domain.records.save import Origin
from ctxrepo.services.notes.placing import forget
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.cache import all_faults
from ctxrepo.storage.worktree.checkout import Checkout

pytestmark = pytest.mark.each_commit

Pair = tuple[Machine, Machine]

NOTES = {
    "global/MEMORY.md": "# Me\n\n- Prefers short answers\n",
    "global/topics/tools.md": "# Tools\n\n- ripgrep\n",
    "shop/MEMORY.md": "# Shop\n\n- Deploys with make ship\n",
    "shop/topics/build.md": "# Build\n\n- Needs node 20\n- Takes a minute\n",
    "shop/topics/other.md": "# Other\n\n- Stays\n",
    "TAPE/shop/2026-11-20.jsonl": '{"id": "1", "kind": "anchor"}\n',
    "solo/topics/only.md": "# Only\n\n- One note in a folder of its own\n",
}

FILES = ["shop/topics/build.md", "shop/MEMORY.md", "TAPE/shop/2026-11-20.jsonl"]
FOLDERS = ["global/topics", "solo"]
SCOPES = ["shop", "global"]


def full_folder(place: Path) -> None:
    place.mkdir()
    (place / "inside.md").write_text("- of somebody else\n")
    (place / "left.tmp").write_text("- of nobody\n")


def file(place: Path) -> None:
    place.write_text("- a file where a folder was\n")


def link_to_a_note(place: Path) -> None:
    place.symlink_to(place.parents[0] / "MEMORY.md")


def link_away(place: Path) -> None:
    away = place.parents[len(place.parts) - place.parts.index(".ctxrepo") - 1] / "away"
    away.mkdir(exist_ok=True)
    place.symlink_to(away)


def device(place: Path) -> None:
    os.mknod(place, 0o20666, os.makedev(1, 5))


def huge(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(3 * 2**20)


def repository(place: Path) -> None:
    subprocess.run(["git", "init", "-q", str(place)], check=True)


ANYWHERE: list[Callable[[Path], None]] = [
    link_to_nothing,
    link_to_a_note,
    loop,
    link_away,
    pipe,
    bound_socket,
]
HIDING = [
    pytest.param(device, tuple(FILES + FOLDERS), marks=needs_root),
    *((kind, tuple(FILES + FOLDERS)) for kind in ANYWHERE),
    *((kind, tuple(FILES)) for kind in (folder, full_folder, huge)),
    *((kind, tuple(FOLDERS)) for kind in (file, repository)),
    *((kind, (scope,)) for scope in SCOPES for kind in (file, link_away, pipe, repository)),
]
names = pytest.mark.parametrize(
    ("kind", "places"), rotating(HIDING, keep=5), ids=lambda x: getattr(x, "__name__", "") or x[0]
)


def clear(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def on_disk(machine: Machine) -> dict[str, str]:
    return {p: (machine.clone / p).read_text() for p in NOTES if (machine.clone / p).is_file()}


def held_by(machine: Machine) -> dict[str, str]:
    """What the memory has at the notes' places."""
    there = machine.git("ls-tree", "-r", "--name-only", "HEAD").splitlines()
    return {p: machine.git("show", f"HEAD:{p}") + "\n" for p in NOTES if p in there}


def filled(pair: Pair) -> Pair:
    ada, ben = pair
    for path, text in NOTES.items():
        ada.write(path, text)
    ada.sync()
    ben.sync()
    assert on_disk(ben) == NOTES
    return pair


def with_notes(place: Path) -> Pair:
    return filled(make_pair(place))


@pytest.fixture
def both(copies: Copies) -> Pair:
    return copies.of(with_notes)


def put(machine: Machine, kind: Callable[[Path], None], places: Iterable[str]) -> None:
    for place in places:
        clear(machine.clone / place)
        kind(machine.clone / place)


def take(machine: Machine, places: Iterable[str]) -> None:
    for place in places:
        clear(machine.clone / place)


@names
def test_what_an_obstacle_hid_is_there_again_for_everybody(
    both: Pair, kind: Callable[[Path], None], places: tuple[str, ...]
) -> None:
    ada, ben = both
    put(ada, kind, places)
    for _ in range(2):
        ada.sync()
        ben.sync()
        assert held_by(ada) == held_by(ben) == on_disk(ben) == NOTES
        faults = [fault.text for fault in ada.open().cache.ask(all_faults) if fault.kind == "hidden"]
        assert [any(line.startswith(place) for line in faults) for place in places]
    take(ada, places)
    for _ in range(2):
        ada.sync()
        ben.sync()
        assert on_disk(ada) == on_disk(ben) == held_by(ada) == NOTES
    assert not any("hides" in fault.text for fault in ada.open().cache.ask(all_faults))
    assert ada.open().checkout.hidden.files() == {}


@pytest.mark.parametrize(("kind", "place"), [(pipe, "shop/topics/build.md"), (link_to_nothing, "shop")])
def test_a_deletion_after_it_came_back_is_one(both: Pair, kind: Callable[[Path], None], place: str) -> None:
    ada, ben = both
    there = ada.clone / place
    clear(there)
    kind(there)
    ada.sync()
    clear(there)
    ada.sync()
    (ada.clone / "shop/topics/build.md").unlink()
    ada.sync()
    ben.sync()
    left = {p: t for p, t in NOTES.items() if p != "shop/topics/build.md"}
    assert on_disk(ada) == on_disk(ben) == held_by(ben) == left


@pytest.mark.parametrize(
    ("kind", "places"),
    [
        (folder, FILES),
        (link_away, FILES + FOLDERS),
        (pipe, ["shop"]),
        (file, ["shop"]),
        (repository, ["shop"]),
    ],
    ids=lambda x: getattr(x, "__name__", "") or x[0],
)
def test_others_go_on_writing_what_is_hidden_here(
    both: Pair, kind: Callable[[Path], None], places: Sequence[str]
) -> None:
    ada, ben = both
    put(ada, kind, places)
    ada.sync()
    ben.write("shop/topics/build.md", NOTES["shop/topics/build.md"] + "- By ben\n")
    ben.write("shop/topics/new.md", "- New by ben\n")
    (ben.clone / "shop/topics/other.md").unlink()
    ben.sync()
    ada.sync()
    take(ada, places)
    ada.sync()
    ben.sync()
    for machine in both:
        assert "- By ben" in machine.read("shop/topics/build.md")
        assert machine.read("shop/topics/new.md") == "- New by ben\n"
        assert on_disk(machine).keys() == NOTES.keys() - {"shop/topics/other.md"}
    assert ada.tree() == ben.tree()


@pytest.mark.parametrize("kind", [folder, pipe, link_to_nothing, link_to_a_note], ids=lambda k: k.__name__)
def test_another_file_in_place_of_the_obstacle_is_an_edit_of_what_was_there(
    both: Pair, kind: Callable[[Path], None]
) -> None:
    ada, ben = both
    there = ada.clone / "shop/topics/build.md"
    clear(there)
    kind(there)
    ada.sync()
    ben.write("shop/topics/build.md", NOTES["shop/topics/build.md"] + "- By ben\n")
    ben.sync()
    ada.sync()
    clear(there)
    there.write_text("# Build\n\n- Needs node 22\n- Takes a minute\n")
    ada.sync()
    ben.sync()
    for machine in both:
        assert (
            machine.read("shop/topics/build.md") == "# Build\n\n- Needs node 22\n- Takes a minute\n- By ben\n"
        )
    assert not (ada.clone / "conflicts").exists()


def test_a_hard_link_to_another_note_is_an_edit_and_the_other_note_stays(both: Pair) -> None:
    ada, ben = both
    there = ada.clone / "shop/topics/build.md"
    there.unlink()
    os.link(ada.clone / "shop/topics/other.md", there)
    ada.sync()
    ben.sync()
    ben.write("shop/topics/build.md", "# Other\n\n- Stays\n- By ben\n")
    ben.sync()
    ada.sync()
    for machine in both:
        assert machine.read("shop/topics/other.md") == NOTES["shop/topics/other.md"]
        assert "- By ben" in machine.read("shop/topics/build.md")


@pytest.mark.parametrize("place", ["shop/topics/build.md", "shop"])
def test_a_worker_killed_right_after_it_looked_has_seen_the_obstacle(
    both: Pair, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    ada, ben = both
    there = ada.clone / place
    clear(there)
    pipe(there)
    with monkeypatch.context() as patch:
        patch.setattr(Checkout, "edited", killed)
        with pytest.raises(Killed):
            commit(ada.open(), NOW)
    clear(there)
    ada.sync()
    ben.sync()
    assert on_disk(ada) == on_disk(ben) == NOTES


@contextmanager
def bound_by_rights() -> Iterator[None]:
    """Even root is refused by what a file's mode says, without two of its capabilities."""
    if os.getuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    before, without = (ctypes.c_uint32 * 6)(), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, before) == libc.capget(header, without) == 0
    without[0] &= ~0b110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, of those in effect
    assert libc.capset(header, without) == 0
    try:
        yield
    finally:
        assert libc.capset(header, before) == 0


@pytest.mark.parametrize("place", ["shop/topics/build.md", "shop/topics", "shop"])
def test_rights_that_were_taken_and_given_back(both: Pair, place: str) -> None:
    ada, ben = both
    there = ada.clone / place
    mode = there.stat().st_mode & 0o777
    with bound_by_rights():
        there.chmod(0)
        ada.sync()
        ben.write("shop/topics/build.md", NOTES["shop/topics/build.md"] + "- By ben\n")
        (ben.clone / "shop/MEMORY.md").unlink()
        ben.sync()
        ada.sync()
        assert any(
            fault.text.startswith(place) and "hides" in fault.text
            for fault in ada.open().cache.ask(all_faults)
        )
        there.chmod(mode)
        ada.sync()
        ben.sync()
    for machine in (ada, ben):
        assert machine.read("shop/topics/build.md") == NOTES["shop/topics/build.md"] + "- By ben\n"
        assert not (machine.clone / "shop/MEMORY.md").exists()


def test_what_is_forgotten_by_a_command_just_before_stays_forgotten(both: Pair) -> None:
    """The command was acknowledged while the note was there; what came after it is none of its business."""
    ada, ben = both
    there = ada.clone / "shop/topics/build.md"
    memory = ada.open()
    forget(memory, Target(path="topics/build.md"), ada.project(), Origin(memory.host), NOW)
    pipe(there)
    ada.sync()
    clear(there)
    ada.sync()
    ben.sync()
    left = NOTES.keys() - {"shop/topics/build.md"}
    assert on_disk(ada).keys() == on_disk(ben).keys() == left


def test_what_is_remembered_just_before_an_obstacle_came_is_kept(both: Pair) -> None:
    ada, ben = both
    ada.remember("Acknowledged before", note=Target(path="MEMORY.md"))
    there = ada.clone / "shop/MEMORY.md"
    clear(there)
    pipe(there)
    ada.sync()
    clear(there)
    ada.sync()
    ben.sync()
    for machine in both:
        assert "Acknowledged before" in machine.read("shop/MEMORY.md")
        assert "Deploys with make ship" in machine.read("shop/MEMORY.md")


def test_many_notes_below_an_emptied_mount_point_are_held_back_and_told(both: Pair) -> None:
    ada, ben = both
    more = {f"shop/topics/n{number}.md": f"- Fact {number}\n" for number in range(6)}
    for path, text in more.items():
        ada.write(path, text)
    ada.sync()
    ben.sync()
    away = ada.home / "unmounted"
    (ada.clone / "shop").rename(away)
    (ada.clone / "shop").mkdir()
    held = ada.sync()
    ben.sync()
    assert {r.path for r in held.held} == {p for p in {**NOTES, **more} if p.startswith("shop/")}
    assert any("held back" in fault.text for fault in ada.open().cache.ask(all_faults))
    assert on_disk(ben) == NOTES
    (ada.clone / "shop").rmdir()
    away.rename(ada.clone / "shop")
    assert not ada.sync().held
    assert on_disk(ada) == NOTES


Step = st.sampled_from(["hide", "clear", "sync", "other edits", "other sync", "put back"])


@pytest.mark.parametrize("examples", mostly_long([3, 8], keep=1))
def test_whatever_the_order_no_note_is_deleted_that_a_sync_saw_hidden(
    tmp_path_factory: pytest.TempPathFactory, examples: int
) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), deadline=None)
    @given(
        steps=st.lists(Step, min_size=3, max_size=9),
        where=st.sampled_from(FILES + FOLDERS + SCOPES),
        kind=st.sampled_from([pipe, link_to_nothing, loop, repository]),
    )
    def holds(steps: list[str], where: str, kind: Callable[[Path], None]) -> None:
        _no_note_is_deleted(tmp_path_factory.mktemp("o"), steps, where, kind)

    holds()


def _no_note_is_deleted(root: Path, steps: list[str], where: str, kind: Callable[[Path], None]) -> None:
    ada, ben = make_machine(root, "ada"), make_machine(root, "ben")
    remote = make_remote(root)
    for machine in (ada, ben):
        machine.init(str(remote))
    filled((ada, ben))
    there, away = ada.clone / where, root / "away"
    edits = 0
    for step in steps:
        if step == "hide" and not away.exists():
            there.rename(away)
            kind(there)
            ada.sync()  # it passes the obstacle over, which is what this is about
        elif step == "clear" and away.exists():
            clear(there)
            ada.sync()
            clear(away)
        elif step == "put back" and away.exists():
            clear(there)
            away.rename(there)
        elif step == "sync":
            ada.sync()
        elif step == "other sync":
            ben.sync()
        elif step == "other edits":
            edits += 1
            ben.write("shop/topics/build.md", ben.read("shop/topics/build.md") + f"- Edit {edits}\n")
            ben.sync()
    clear(there) if away.exists() else None
    for machine in (ada, ben, ada):
        machine.sync()
    assert ada.tree() == ben.tree()
    for machine in (ada, ben):
        assert on_disk(machine).keys() == NOTES.keys()
        for path, text in NOTES.items():
            assert machine.read(path).startswith(text)
        assert all(f"- Edit {n + 1}\n" in machine.read("shop/topics/build.md") for n in range(edits))
    shutil.rmtree(root)
