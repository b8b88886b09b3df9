"""What a note lacks of another text is added to it: nothing of either is lost, and a second time adds
nothing."""

from __future__ import annotations

from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from ctxrepo.domain.merge.supplement import closed_note, gist, supplemented
from ctxrepo.domain.note.entry import entries_of

PATH = "global/MEMORY.md"

PIECES = [
    *("- one\n", "- two\n", "- [ ] three\n", "- [x] one\n", "  more of it\n", "  - below\n", "1. first\n"),
    *("a sentence\n", "another\n", "\n", "\n", "## A\n", "## B\n", "### C\n", "# T\n", "# U\n", "---\n"),
    *("```\ncode\n```\n", "```\n", "~~~\n", "<!-- said -->\n", "<!-- open\n", "-->\n", "    indented\n"),
    *("- \n", "| a | b |\n", "- one <!-- ^ab12 -->\n", "end", "---\nd: 1\n---\n", "- win\r\n", "\r\n"),
]

texts = st.lists(st.sampled_from(PIECES), max_size=9).map("".join)


def said(text: str) -> Counter[str]:
    gists = (gist(entry.text) for entry in entries_of(PATH, closed_note(text)))
    return Counter(filter(None, gists))


@given(texts, texts)
@example("---\n", "  more of it\n---\n")
@example("", "- \n<!-- said -->\n")
def test_both_texts_are_whole_in_the_result_and_a_second_time_adds_nothing(ours: str, theirs: str) -> None:
    made = supplemented(PATH, ours, theirs)
    assert not (said(ours) | said(theirs)) - said(made.text)
    assert made.new + made.known == said(theirs).total()
    assert supplemented(PATH, made.text, theirs) == type(made)(made.text, 0, said(theirs).total())


def test_an_entry_goes_below_the_heading_that_it_has_there() -> None:
    ours = "---\ndescription: x\n---\n\n# Memory\n\n## Notes\n\n- port 5432\n\n## End\n\n- last\n"
    theirs = "---\nlimit: 9\n---\n# M\n\n## Notes\n- port 5432\n- port 5433\n\n## Build\n\n### Arm\n- slow\n"
    assert supplemented(PATH, ours, theirs).text == (
        "---\ndescription: x\n---\n\n# Memory\n\n## Notes\n\n- port 5432\n- port 5433\n\n## End\n\n- last\n\n"
        "## Build\n\n### Arm\n\n- slow\n"
    )


def test_a_comment_above_an_entry_goes_with_it_and_stays_with_one_that_is_here() -> None:
    theirs = "<!-- monday -->\nDid this.\n\n<!-- tuesday -->\nDid that.\n"
    assert supplemented(PATH, "Did this.\n", theirs).text == "Did this.\n\n<!-- tuesday -->\nDid that.\n"


def test_line_ends_are_those_of_the_note() -> None:
    assert supplemented(PATH, "- a\r\n", "- b\n- c\n").text == "- a\r\n- b\r\n- c\r\n"


def test_known_ids_are_not_added() -> None:
    (gone,) = entries_of(PATH, "- gone\n")
    assert supplemented(PATH, "", "- gone\n- here\n", {gone.id}).text == "- here\n"


def test_items_come_with_their_comment_and_what_hangs_under_them() -> None:
    ours = "# Scratchpad\n\n- [ ] one\n"
    theirs = "# Pad\n\n<!-- m1 -->\n- [x] one\n<!-- m2 -->\n- [ ] two\n  - [x] below\n\nA remark.\n"
    made = supplemented("global/SCRATCHPAD.md", ours, theirs)
    assert (made.new, made.known) == (2, 1)
    assert made.text == ("# Scratchpad\n\n- [ ] one\n\n<!-- m2 -->\n- [ ] two\n  - [x] below\n\nA remark.\n")
    ticked = made.text.replace("[ ]", "[x]")
    assert supplemented("global/SCRATCHPAD.md", ticked, theirs).text == ticked


def test_what_follows_a_comment_is_not_taken_for_a_part_of_the_bullet_before() -> None:
    theirs = "- one\n# Title\n\n<!-- monday -->\nDid this.\n"
    made = supplemented(PATH, "- two\n## Build\n", theirs)
    assert made.text == "- two\n- one\n\n## Build\n\n# Title\n\n<!-- monday -->\nDid this.\n"
