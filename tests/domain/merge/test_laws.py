"""What holds for every merge of a note, whatever two machines made of it."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from itertools import count
from string import ascii_lowercase

from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from ctxrepo.domain.entry import entries_of, explicit_id, normalised
from ctxrepo.domain.frontmatter import split
from ctxrepo.domain.markdown import closed, split_blocks
from ctxrepo.domain.merge import Merged, merge_file

EXAMPLES = 300
laws = settings(
    max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=False
)

PATH = "global/topics/a.md"

# Few words, so that equal and similar entries are common.
words = st.sampled_from(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon zeta",
        "the build needs",
        "on 2026-11-20",
        "- 4",
        "https://a.b/c",
    ]
)
sentences = st.lists(words, min_size=1, max_size=6).map(" ".join)
titles = st.sampled_from(["Notes", "Build", "Builds", "Log", "Things to remember"])
hanging = st.sampled_from(
    [
        "\n  - below",
        "\n\n  more of it",
        "\n  ```sh\n  # no heading\n- no bullet\n  ```",
        "\n  - one\n    - two\n\n  and more",
    ]
)
ids = st.integers(1, 99).map(" <!-- ^x{} -->".format)
bullets = st.builds(
    lambda mark, text, rest: f"{mark} {text}{rest}",
    st.sampled_from("-*+"),
    sentences,
    st.one_of(st.just(""), st.just(""), hanging, ids),
)
blocks = st.one_of(
    bullets,
    bullets,
    bullets,
    st.builds(lambda level, title: f"{'#' * level} {title}", st.integers(1, 3), titles),
    sentences,
    st.sampled_from(
        ["<!-- a comment -->", "---", "```\n# code\n\n- code\n```", "1. one", "<!-- two\n\nlines -->"]
    ),
)
odd_blocks = st.sampled_from(
    ["  - indented", "    code", "```\nnever closed", "<!-- never closed", "<<<<<<< HEAD", "=======", ""]
)
heads = st.one_of(
    st.just(""),
    st.builds(
        lambda d, tags, updated, rest: (
            f"---\ndescription: {d}\ntags: [{', '.join(tags)}]\nupdated: {updated}\n{rest}---\n"
        ),
        words,
        st.lists(st.sampled_from("abcd"), unique=True, max_size=3),
        st.sampled_from(["2026-01-01", "2026-02-01", "soon"]),
        st.sampled_from(
            ["", "# a comment\n", "created: 2025-01-01\nowner: me\n", "x: |\n  long\n  text\n", "bad: [\n"]
        ),
    ),
)
Note = tuple[str, list[str]]
Three = tuple[bytes, bytes, bytes]


def unlike(number: int) -> str:
    """A sentence that no other one is like."""
    rng = random.Random(number)
    return " ".join("".join(rng.choices(ascii_lowercase, k=rng.randint(3, 9))) for _ in range(6))


def unlike_blocks(number: int) -> st.SearchStrategy[str]:
    text = unlike(number)
    return st.one_of(
        st.one_of(st.just(""), hanging).map(lambda rest: f"- {text}{rest}"),
        st.just(f"* {text} <!-- ^n{number} -->"),
        st.just(f"## {text}"),  # of one depth: where sections are nested anew, what moved is a guess as well
        st.sampled_from([text, f"<!-- {text} -->", f"```\n# {text}\n\n- code\n```"]),
    )


@st.composite
def edited(draw: st.DrawFn, was: Note, block: st.SearchStrategy[str]) -> Note:
    """The note as a machine left it: some blocks gone, edited, moved, new ones anywhere."""
    head, old = was
    new: list[str] = []
    for text in old:
        what = draw(st.sampled_from(["keep", "keep", "keep", "drop", "edit", "add", "twice"]))
        if what == "add":
            new.append(draw(block))
        if what == "edit":
            first, *rest = text.split("\n", 1)
            new.append("\n".join([f"{first} {draw(words)}", *rest]))
        elif what != "drop":
            new += [text] * (2 if what == "twice" else 1)
    if new and draw(st.booleans()):
        new.insert(draw(st.integers(0, len(new) - 1)), new.pop(draw(st.integers(0, len(new) - 1))))
    new += [draw(block) for _ in range(draw(st.integers(0, 2)))]
    new += draw(st.one_of(st.just([]), st.just([]), st.lists(odd_blocks, max_size=1)))
    return draw(st.one_of(st.just(head), st.just(head), heads)), new


@st.composite
def texts(draw: st.DrawFn, written: Note, least: int = 0) -> bytes:
    """With `least` blank lines between what is no list."""
    head, blocks = written
    text = head + ("\n" if draw(st.booleans()) else "")
    for before, block in zip(["", *blocks], blocks, strict=False):
        is_list = before[:1] in "-*+" and block[:1] in "-*+"
        text += ("" if is_list or not text else "\n" * draw(st.integers(least, 2))) + block + "\n"
    text = draw(st.sampled_from([text, text, text, text.rstrip("\n"), text + "\n"]))
    return (text.replace("\n", "\r\n") if draw(st.integers(0, 9)) == 0 else text).encode()


@st.composite
def threes(draw: st.DrawFn) -> Three:
    """(base, ours, theirs), with much that is alike."""
    base = draw(heads), draw(st.lists(blocks, max_size=8))
    ours, theirs = draw(edited(base, blocks)), draw(edited(base, blocks))
    return draw(texts(base)), draw(texts(ours)), draw(texts(theirs))


@st.composite
def clear_threes(draw: st.DrawFn) -> Three:
    """(base, ours, theirs), with nothing that could be taken for something else."""

    def fresh(first: int) -> st.SearchStrategy[str]:
        numbers = count(first)
        return st.just(None).flatmap(lambda _: unlike_blocks(next(numbers)))

    base = draw(heads), [draw(unlike_blocks(number)) for number in range(draw(st.integers(0, 8)))]
    ours = draw(edited(base, fresh(100)))
    theirs = draw(edited(base, fresh(draw(st.sampled_from([100, 200])))))
    return draw(texts(base, 1)), draw(texts(ours, 1)), draw(texts(theirs, 1))


def entries(data: bytes | None) -> Counter[str]:
    """What is said how often; a fence that the merge closes counts as closed."""
    return Counter(normalised(e.text) for e in entries_of(PATH, closed((data or b"").decode())))


def written(data: bytes) -> dict[str, list[tuple[str, ...]]]:
    """Entries as they are written -> the headings that each copy stands under."""
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for entry in entries_of(PATH, data.decode()):
        found[entry.text.replace("\r\n", "\n")].append(entry.heading)
    return found


def lines(data: bytes | None) -> list[bytes]:
    """Its lines without order, blank ones and headings.

    Where both sides moved things the order may be decided anew, and a heading that both renamed and
    emptied has nothing left to be known by.
    """
    return sorted(line for line in (data or b"").splitlines() if line.strip() and not line.startswith(b"## "))


def is_ambiguous(data: bytes | None) -> bool:
    """Whether it says one thing twice, or has a heading or an id twice: which is which is a guess then."""
    blocks = split_blocks(split((data or b"").decode())[1])
    said = [
        *(b.heading[-1:] if b.kind == "heading" else normalised(b.text) for b in blocks),
        *(f"^{explicit_id(b.text)}" for b in blocks if explicit_id(b.text)),
    ]
    return len(said) > len(set(said))


def kept(merged: Merged) -> Counter[str]:
    """What is in the file or put aside."""
    return entries(merged.data) + Counter(normalised(a.other) for a in merged.aside)


@laws
@given(threes())
def test_it_is_the_same_whichever_side_is_called_ours(three: Three) -> None:
    base, ours, theirs = three
    assert merge_file(PATH, base, ours, theirs) == merge_file(PATH, base, theirs, ours)


@laws
@given(threes())
def test_nothing_is_lost_that_both_kept_or_one_added(three: Three) -> None:
    base, ours, theirs = three
    merged = merge_file(PATH, base, ours, theirs)
    note((merged.data or b"").decode())
    was, us, them, now = entries(base), entries(ours), entries(theirs), kept(merged)
    for text in us | them:
        if was[text] > 1:
            continue  # of two that say the same, each side may have edited another one
        if text in us and text in them:
            assert now[text] >= min(us[text], them[text]), text
        elif text not in was:
            assert text in now, text


@laws
@given(threes())
def test_nothing_returns_that_one_removed_and_the_other_left_alone(three: Three) -> None:
    base, ours, theirs = three
    merged = merge_file(PATH, base, ours, theirs)
    note((merged.data or b"").decode())
    was, us, them, now = written(base), entries(ours), written(theirs), entries(merged.data)
    for text, places in was.items():
        says = normalised(text)
        times = {len(places), len(them[text]), entries(base)[says], entries(theirs)[says]}
        # Of two copies the one that was moved can't be told from a new one.
        left_alone = times == {1} or (len(times) == 1 and places == them[text])
        if says not in us and left_alone:
            assert says not in now, text


@laws
@given(threes())
def test_a_version_merged_with_itself_or_its_base_is_that_version(three: Three) -> None:
    base, ours, _ = three
    assert merge_file(PATH, base, ours, ours).data == ours
    assert merge_file(PATH, base, base, ours).data == ours
    assert merge_file(PATH, base, ours, base).data == ours


@laws
@given(clear_threes())
def test_merging_again_with_a_side_changes_nothing(three: Three) -> None:
    """Where it is clear which is which: of things that are much alike either may be an edit of a third."""
    base, ours, theirs = three
    merged = merge_file(PATH, base, ours, theirs).data
    note((merged or b"").decode())
    assert merge_file(PATH, ours, merged, ours).data == merged
    assume(not any(map(is_ambiguous, (base, ours, theirs, merged))))
    assert lines(merge_file(PATH, base, merged, ours).data) == lines(merged)
    assert lines(merge_file(PATH, base, theirs, merged).data) == lines(merged)


@laws
@given(threes())
def test_no_marker_line_comes_from_the_merge(three: Three) -> None:
    base, ours, theirs = three
    marker = re.compile(rb"(?m)^(?:<{7}|>{7}|={7}|\|{7})[^\r\n]*")
    found = marker.findall(merge_file(PATH, base, ours, theirs).data or b"")
    assert set(found) <= set(marker.findall(ours)) | set(marker.findall(theirs))


@laws
@given(threes(), st.data())
def test_two_clones_agree_after_one_exchange(three: Three, data: st.DataObject) -> None:
    """One has merged; the other wrote on meanwhile and meets the result."""
    base, ours, theirs = three
    merged = merge_file(PATH, base, ours, theirs).data
    extra = data.draw(st.lists(bullets, min_size=1, max_size=2))
    later = closed(theirs.decode()).encode() + b"".join(b"\n\n" + block.encode() for block in extra)
    here, there = merge_file(PATH, theirs, merged, later), merge_file(PATH, theirs, later, merged)
    assert here == there
    assert not entries(later) - entries(theirs) - kept(here)
