"""Commits merged in memory, over real histories: crossed ones, unrelated ones, large ones."""

from __future__ import annotations

from datetime import timedelta

import pytest
from machines import NOW, Machine

from ctxrepo.services.saving.merge import merge_commits
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.objects.store import Author

ADA = Author("Ada", "ada@example.org")
Files = dict[str, str]

ROUNDS = 25
"""A hundred take a quarter of a minute."""


@pytest.fixture
def memory(ada: Machine) -> Memory:
    ada.init()
    return ada.open()


def commit(memory: Memory, files: Files, *parents: str, on: str = "") -> str:
    """A commit of these files; with `on` they are changes to that commit ('' removes)."""
    objects = memory.objects
    changes = {path: objects.store(text.encode()) if text else None for path, text in files.items()}
    tree = objects.edit(objects.tree_of(on or None), changes)
    return objects.commit(tree, parents or ([on] if on else []), "by hand", ADA, NOW)


def files_of(memory: Memory, commit: str) -> Files:
    objects = memory.objects
    return {p: objects.data(k).decode() for p, k in objects.files(objects.tree_of(commit)).items()}


def merged(memory: Memory, ours: str, theirs: str, minutes: int = 0) -> str:
    """The merge commit, whose tree must be the same from either side."""
    made = merge_commits(memory, ours, theirs, NOW + timedelta(minutes=minutes))
    other = merge_commits(memory, theirs, ours, NOW)
    assert made is not None
    assert other is not None
    assert memory.objects.tree_of(made.commit) == memory.objects.tree_of(other.commit)
    return made.commit


def once(memory: Memory, ours: str, theirs: str, minutes: int) -> str:
    made = merge_commits(memory, ours, theirs, NOW + timedelta(minutes=minutes))
    assert made is not None
    return made.commit


def crossed(memory: Memory, ours: str, theirs: str, minutes: int) -> tuple[str, str]:
    """Each merges the other, at another time and so into another commit."""
    return once(memory, ours, theirs, minutes), once(memory, theirs, ours, minutes + 1000)


def note(*lines: str) -> str:
    return "".join(f"- {line}\n" for line in lines)


def test_all_best_common_ancestors_are_found(memory: Memory) -> None:
    root = commit(memory, {"a.md": "- a\n"})
    first, second = (commit(memory, {f"{n}.md": "- x\n"}, on=root) for n in "bc")
    here, there = (commit(memory, {}, first, second, on=first), commit(memory, {}, second, first, on=second))
    objects = memory.objects
    assert objects.merge_bases(here, there) == sorted([first, second])
    assert objects.merge_bases(first, second) == [root]
    assert objects.merge_bases(here, first) == [first]
    assert objects.merge_bases(first, commit(memory, {"z.md": "- z\n"})) == []


def test_what_is_removed_after_merges_crossed_does_not_return(memory: Memory) -> None:
    root = commit(memory, {"n.md": note("from the start")})
    first = commit(memory, {"n.md": note("from the start", "zebra"), "one.md": "- one\n"}, on=root)
    second = commit(memory, {"n.md": note("from the start", "quilt"), "two.md": "- two\n"}, on=root)
    here, there = crossed(memory, first, second, 1)
    here = commit(memory, {"here.md": "- here\n"}, on=here)
    there = commit(memory, {"n.md": note("from the start"), "one.md": "", "two.md": ""}, on=there)
    assert files_of(memory, merged(memory, here, there)) == {
        "here.md": "- here\n",
        "n.md": note("from the start"),
    }


@pytest.mark.slow
def test_merges_that_cross_again_and_again_agree_and_lose_nothing(memory: Memory) -> None:
    words = [f"{word}{n}" for n in range(ROUNDS // 5) for word in ("zebra", "quilt")]
    here = there = commit(memory, {"n.md": note("from the start", *words)})
    for number in range(ROUNDS):
        ours = files_of(memory, here)["n.md"].replace(note(*words[number : number + 1]), "")
        here = commit(
            memory, {"n.md": ours, f"old/{number}.md": "- a\n", f"old/{number - 2}.md": ""}, on=here
        )
        theirs = (
            files_of(memory, there)["n.md"].replace("start", f"start {number}").replace(f" {number - 1}", "")
        )
        there = commit(memory, {"n.md": theirs, f"ben/{number}.md": f"- b {number}\n"}, on=there)
        here, there = crossed(memory, here, there, number)
        assert memory.objects.tree_of(here) == memory.objects.tree_of(there)
    files = files_of(memory, here)
    assert files.pop("n.md") == note(f"from the start {ROUNDS - 1}")
    assert files.keys() == {
        *(f"old/{n}.md" for n in (ROUNDS - 2, ROUNDS - 1)),
        *(f"ben/{n}.md" for n in range(ROUNDS)),
    }


@pytest.mark.slow
def test_merges_that_cross_while_each_side_goes_on(memory: Memory) -> None:
    """Nobody has what the other made of it last: no two bases are alike, however deep one looks."""
    here = there = commit(memory, {"n.md": note("from the start", *(f"{n} to go {n}" for n in range(20)))})
    for number in range(20):
        ours = files_of(memory, here)["n.md"].replace(note(f"{number} to go {number}"), "")
        theirs = files_of(memory, there)["n.md"] + note(f"{number} {number} of ben")
        our_tip = commit(memory, {"n.md": ours}, on=here)
        their_tip = commit(memory, {"n.md": theirs}, on=there)
        here = once(memory, our_tip, there, number)
        there = once(memory, their_tip, here if number % 5 == 4 else our_tip, number)
    both = files_of(memory, merged(memory, here, there))["n.md"]
    assert sorted(both.splitlines()) == sorted(
        ["- from the start", *(f"- {n} {n} of ben" for n in range(20))]
    )


def test_histories_that_share_nothing_are_both_kept(memory: Memory) -> None:
    first, second = commit(memory, {"a.md": "- one\n", "b.md": "- b\n"}), commit(memory, {"a.md": "- two\n"})
    files = files_of(memory, merged(memory, first, second))
    assert set(files["a.md"].splitlines()) == {"- one", "- two"}
    assert files["b.md"] == "- b\n"


def test_a_new_name_meets_what_nobody_touched(memory: Memory) -> None:
    base = commit(memory, {"topics/good.md": "- a\n", "shop-2/x.md": "- x\n"})
    ours = commit(memory, {"topics/Good.md": "- b\n"}, on=base)
    files = files_of(memory, merged(memory, ours, commit(memory, {"z.md": "- z\n"}, on=base)))
    assert files["topics/good.md"] == "- a\n"
    assert "topics/Good.md" not in files
    assert "- b\n" in files.values()


def test_a_link_is_not_merged_as_text(memory: Memory) -> None:
    base = commit(memory, {"a.md": "- a\n"})
    theirs = commit(memory, {"a.md": "- a\n- more\n"}, on=base)
    objects = memory.objects
    link = objects.edit(objects.tree_of(base), {"a.md": f"120000:{objects.store(b'/etc/passwd')}"})
    ours = objects.commit(link, [base], "a link", ADA, NOW)
    files = files_of(memory, merged(memory, ours, theirs))
    assert files["a.md"] == "- a\n- more\n"
    assert any("/etc/passwd" in text for path, text in files.items() if path.startswith("conflicts/"))
