"""What holds for every merge of two trees, whatever two machines moved, renamed, removed and wrote."""

from __future__ import annotations

import re
from itertools import accumulate

from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st
from trees import Files, merged_tree

from ctxrepo.domain.project.layout import fold, unsafe

laws = settings(suppress_health_check=[HealthCheck.too_slow])

# Few names, so that twins, moves onto each other and folders called as files are common.
parts = st.sampled_from(["a.md", "A.md", "b.md", "é.md", "e\u0301.md", "a", "A", "b", "shop"])
paths = st.lists(parts, min_size=1, max_size=3).map("/".join)
words = st.sampled_from(
    ["zebra", "quilt", "mango", "fjord", "oxide", "glyph", "waltz", "pixel", "vodka", "lemur"]
)
texts = st.lists(words, max_size=5).map(lambda facts: "".join(f"- {word}\n" for word in facts))
Three = tuple[Files, Files, Files]


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    tree: dict[str, str] = {}
    for path, text in draw(st.lists(st.tuples(paths, texts), max_size=5)):
        put(tree, path, text)
    return tree


def put(tree: dict[str, str], path: str, text: str) -> None:
    """Where a tree can hold it; a folder of another spelling stays beside its twin."""
    folders = {*accumulate(path.split("/")[:-1], "{}/{}".format)}
    if not folders & tree.keys() and not any(other.startswith(f"{path}/") for other in tree):
        tree[path] = text


@st.composite
def edited(draw: st.DrawFn, base: Files) -> dict[str, str]:
    """The tree as a machine left it, which can't hold twins that were not there before."""
    tree = dict(base)
    for path in base:
        what = draw(st.sampled_from(["keep", "keep", "drop", "move", "edit", "move and edit", "twin"]))
        text = tree.pop(path)
        if "edit" in what:
            text += f"- {draw(words)}\n"
        new = path
        if "move" in what:
            new = draw(paths)
        elif what == "twin":
            new = path.swapcase() if draw(st.booleans()) else path.replace("é", "e\u0301")
        if what != "drop":
            put(tree, new if is_free(new, tree, base) else path, text)
    for path, text in draw(st.lists(st.tuples(paths, texts), max_size=2)):
        if path not in tree and is_free(path, tree, base):
            put(tree, path, text)
    return tree


def is_free(path: str, tree: Files, base: Files) -> bool:
    return twins({**tree, path: ""}) <= twins(base)


@st.composite
def threes(draw: st.DrawFn) -> Three:
    base = draw(trees())
    return base, draw(edited(base)), draw(edited(base))


def twins(tree: Files) -> set[frozenset[str]]:
    """Pairs of files and folders of which a file system that ignores case holds one."""
    names: dict[str, set[str]] = {}
    for path in tree:
        for prefix in (*accumulate(path.split("/")[:-1], "{}/{}".format), path):
            names.setdefault(fold(prefix), set()).add(prefix)
    return {frozenset((a, b)) for there in names.values() for a in there for b in there if a < b}


def said(*trees: Files) -> set[str]:
    return {word for tree in trees for text in tree.values() for word in re.findall(r"- (\w+)", text)}


def is_tree(tree: Files) -> bool:
    """No file is called as a folder is."""
    folders = {f for path in tree for f in accumulate(path.split("/")[:-1], "{}/{}".format)}
    return not folders & tree.keys()


@laws
@given(threes())
def test_it_is_the_same_from_both_sides_and_a_tree_that_any_disk_can_hold(three: Three) -> None:
    base, _, _ = three
    merged = merged_tree(*three)
    note(str(merged))
    assert is_tree(merged)
    assert twins(merged) <= twins(base)
    assert not [path for path in merged if unsafe(path)]


@laws
@given(threes())
def test_nothing_is_lost_that_both_kept_or_one_added(three: Three) -> None:
    base, ours, theirs = three
    merged = merged_tree(*three)
    note(str(merged))
    was, us, them, now = map(said, (base, ours, theirs, merged))
    # Of two files that say the same each side may have removed another one.
    twice = {word for word in was if sum(word in said({path: base[path]}) for path in base) > 1}
    assert ((us & them) | ((us | them) - was)) - twice <= now


@laws
@given(threes())
def test_nothing_returns_that_one_removed_and_the_other_left_alone(three: Three) -> None:
    base, ours, theirs = three
    merged = merged_tree(*three)
    note(str(merged))
    for path, text in base.items():
        rest = {p: t for p, t in base.items() if p != path}, {p: t for p, t in theirs.items() if p != path}
        if theirs.get(path) == text:
            assert not (said({path: text}) - said(ours, *rest)) & said(merged)


@laws
@given(threes())
def test_a_tree_merged_with_itself_or_its_base_is_that_tree(three: Three) -> None:
    base, ours, _ = three
    if not twins(base):  # a folder's twin may have become a file's
        assert merged_tree(base, ours, ours) == ours
        assert merged_tree(base, base, ours) == ours


TWO_THAT_SAID_THE_SAME = (
    {"é.md": "- zebra\n", "a.md/a.md": "", "a.md/A.md": "", "b.md": "", "A.md": "- zebra\n"},
    {"é.md": "- zebra\n", "a.md/A.md": "", "b.md": "", "A.md": ""},
    {"a.md/b.md": "- zebra\n", "a.md/a.md": "", "a.md/A.md": "", "b.md": "", "a.md/é.md": "- zebra\n"},
)
"""One of them was moved, the other emptied here and removed there."""

RENAMED_AND_EMPTIED = (
    {"a.md": "", "\xe9.md/a.md/a.md": "- zebra\n"},
    {"e\u0301.md/a.md/a.md": "", "a.md/a.md": ""},
    {"a.md": "- zebra\n"},
)
"""A file that is spelled differently and emptied here; another one says there what it said."""

WRITTEN_INTO_ITS_TWIN = (
    {"A.md": "- zebra\n- quilt\n", "a.md": "", "b.md": ""},
    {"a.md": "", "b.md": "", "A.md/a.md": "- zebra\n- zebra\n"},
    {"A.md": "- zebra\n- quilt\n", "b.md": "", "a.md": "- quilt\n"},
)
"""A line was removed here with its file, and written into the twin of that file there."""


@laws
@example(TWO_THAT_SAID_THE_SAME)
@example(RENAMED_AND_EMPTIED)
@example(WRITTEN_INTO_ITS_TWIN)
@given(threes())
def test_merging_again_with_a_side_changes_nothing(three: Three) -> None:
    base, ours, theirs = three
    merged = merged_tree(base, ours, theirs)
    note(str(merged))
    if not twins(base):  # of those a side may have had one only, to whom the other is new
        assert merged_tree(ours, merged, ours) == merged
        assert merged_tree(merged, merged, ours) == ours
    again = merged_tree(base, merged, ours)
    # What one side removed from a file and the other wrote into its twin looks, from a base that neither has
    # any more, like the line that was removed.
    taken_out = said(base) - said(ours) if twins(base) else set()
    assert said(merged) - taken_out <= said(again)
    if base.keys() <= ours.keys():  # what moved and was edited since may be known from one side only
        assert said(again) == said(merged)


@laws
@given(threes(), st.data())
def test_two_clones_agree_after_one_exchange(three: Three, data: st.DataObject) -> None:
    """One has merged; the other went on meanwhile and meets the result."""
    base, ours, theirs = three
    merged = merged_tree(base, ours, theirs)
    later = data.draw(edited(theirs))
    both = merged_tree(theirs, merged, later)
    assert twins(both) <= twins(theirs)
    assert said(later) - said(theirs) <= said(both)
