"""An entry is put into a note's text, and every other byte of it stays."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ctxrepo.domain.note.compose import MAX_ENTRY_BYTES, about, append, bullet, facts_of, replace, word
from ctxrepo.domain.note.entry import entries_of, normalised
from ctxrepo.domain.note.frontmatter import split
from ctxrepo.domain.note.markdown import closed
from ctxrepo.errors import Refused, UsageError

LINES = st.sampled_from(
    ["", "   ", "# Top", "## Notes", "### Old", "- one", "  more of it", "1. first", "plain words", "```",
     "~~~~", "---", "<!-- open", "-->", "\tindented", "caf\udce9", "***", "> quoted"]
)  # fmt: skip
HEADS = st.sampled_from(["", "---\ndescription: x\n---\n", "---\na: b\n---", "\ufeff---\r\na: b\r\n---\r\n"])
NEW = "- the new fact\n  and more"


@st.composite
def notes(draw: st.DrawFn) -> str:
    """Texts of notes, well made or not, with either line end and with or without a last one."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    body = newline.join(draw(st.lists(LINES, max_size=9)))
    return draw(HEADS) + body + draw(st.sampled_from(["", newline]))


def ids(text: str) -> set[str]:
    return {e.id for e in entries_of("x.md", text)}


def is_inserted(before: str, after: str) -> bool:
    """Whether `after` is `before` with one piece put in somewhere."""
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    return len(after) > len(before) and after.endswith(before[start:])


@given(text=notes(), title=st.sampled_from(["", "Notes"]))
def test_an_appended_entry_is_there_and_every_other_byte_stays(text: str, title: str) -> None:
    after = append(text, NEW, title)
    assert is_inserted(text, after)
    (new,) = [e for e in entries_of("x.md", after) if normalised(e.text) == normalised(NEW)]
    assert not title or new.heading[-1:] == (title,)
    # Only an entry whose code fence nothing closed is another one afterwards: it had to be closed.
    body = split(text)[1]
    assert len(ids(text) - ids(after)) <= (closed(body) != body)


def test_the_first_entry_below_a_head_stands_behind_a_blank_line() -> None:
    assert append("---\ntags: [a]\n---\n", "- a fact") == "---\ntags: [a]\n---\n\n- a fact\n"
    assert append("", "- a fact") == "- a fact\n"


@given(text=notes(), data=st.data())
def test_a_replaced_entry_leaves_every_other_line(text: str, data: st.DataObject) -> None:
    entries = entries_of("x.md", text)
    assume(entries)
    old = data.draw(st.sampled_from(entries))
    after = replace(text, old, NEW)
    (new,) = [e for e in entries_of("x.md", after) if e.first_line == old.first_line]
    assert new.text.replace("\r", "").startswith(NEW)
    lines = text.split("\n")
    assert after.split("\n")[: old.first_line - 1] == lines[: old.first_line - 1]
    assert after.endswith("\n".join(lines[old.last_line :]))


@pytest.mark.parametrize("text", ["- one\n- two\n- three\n", "- one\n", "", "- three\n- one\n  more of it\n"])
def test_no_entry_is_replaced_but_the_one_that_is_meant(text: str) -> None:
    meant = entries_of("x.md", "- one\n- tWo\n")[1]
    with pytest.raises(Refused, match=r"doesn't stand at x\.md#L2 any more"):
        replace(text, meant, NEW)


@example(text="--\n?\n\n0", category="", key="")
@given(
    text=st.text(max_size=60) | st.lists(LINES | st.text(max_size=9)).map("\n".join),
    category=st.sampled_from(["", "gotcha"]),
    key=st.sampled_from(["", "redis.port"]),
)
def test_a_bullet_is_one_entry_or_refused_and_so_is_what_follows_it(
    text: str, category: str, key: str
) -> None:
    try:
        line = bullet(text, category=category, key=key)
    except UsageError:
        first = text.strip().partition("\n")[0]
        assert not normalised(first).strip("-*_=|:+.)# `~0123456789>")
        return
    (entry,) = entries_of("x.md", append("", line))
    assert (entry.category, entry.key or key) == (category or entry.category, key or entry.key)
    assert len(entries_of("x.md", append(append("# T\n", line), NEW))) == 2


def test_all_parts_stand_where_they_are_read_back() -> None:
    line = bullet(
        "6380 #redis", category="Gotcha", tags=["redis", "#ports"], key="db.port", explicit_id="ab12"
    )
    assert line == "- [Gotcha] db.port: 6380 #redis #ports <!-- ^ab12 -->"
    (entry,) = entries_of("x.md", line)
    assert (entry.id, entry.category, entry.tags, entry.key) == (
        "ab12",
        "gotcha",
        ("redis", "ports"),
        "db.port",
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  spaces  ", "- spaces"),
        ("- a bullet", "- a bullet"),
        ("2) a number", "- a number"),
        ("first\r\nsecond\n\n- third", "- first\n  second\n\n  - third"),
        ("run:\n```sh\nmake", "- run:\n  ```sh\n  make\n  ```"),
        ("```", "- ```\n  ```"),
    ],
)
def test_how_a_text_becomes_a_bullet(text: str, line: str) -> None:
    assert bullet(text) == line


@pytest.mark.parametrize("text", ["", " \n ", "---", "***", "- ", "x" * (MAX_ENTRY_BYTES + 1), "é" * 40_000])
def test_a_text_that_says_nothing_or_too_much_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        bullet(text)


def test_a_section_is_added_to_behind_its_own_entries() -> None:
    text = "## Notes\n\n- a\n\n### Old\n\n- b\n\n## After\n"
    assert append(text, "- new", "Notes") == "## Notes\n\n- a\n- new\n\n### Old\n\n- b\n\n## After\n"


def test_a_section_that_is_missing_is_made_at_the_end() -> None:
    assert append("", "- new", "Notes") == "## Notes\n\n- new\n"
    assert append("# T\n- a", "- new", "Notes") == "# T\n- a\n\n## Notes\n\n- new\n"


def test_line_ends_stay_those_of_the_note() -> None:
    assert append("# T\r\n\r\n- a\r\n", "- b\n  c") == "# T\r\n\r\n- a\r\n- b\r\n  c\r\n"
    assert append("# T\r\n", "- b", "Notes") == "# T\r\n\r\n## Notes\r\n\r\n- b\r\n"


def test_a_head_without_a_last_newline_stays_a_head() -> None:
    assert append("---\na: b\n---", "- x", "Notes") == "---\na: b\n---\n\n## Notes\n\n- x\n"


def test_an_entry_is_taken_away_whole() -> None:
    text = "- a\n- b\n  more\n- c\n"
    assert replace(text, entries_of("x.md", text)[1], "") == "- a\n- c\n"


@pytest.mark.parametrize(
    ("what", "good", "bad"),
    [
        ("tag", ["ci", "a/b", "x-1_y", "xé"], ["", "two words", "1st", "a.b", "#x", "x" * 65]),
        ("category", ["gotcha", "x-1_y"], ["", "a/b", "a.b", "two words", "x" * 41]),
        ("key", ["redis.port", "x-1_y"], ["", "a/b", "two words", "x" * 41, "k:"]),
    ],
)
def test_words_are_those_that_are_read_back(what: str, good: list[str], bad: list[str]) -> None:
    assert [word(text, what) for text in good] == good
    for text in bad:
        with pytest.raises(UsageError, match=what):
            word(text, what)


@pytest.mark.parametrize(
    ("stem", "purpose"),
    [
        ("gotcha", "Traps and the way around each"),
        ("Decision", "What was decided and why"),
        ("release-train", "Release train notes"),
    ],
)
def test_a_note_that_nobody_described_says_what_it_is_for(stem: str, purpose: str) -> None:
    assert about(stem) == purpose


def test_facts_are_bullets_with_what_hangs_under_them_and_other_lines() -> None:
    text = "one\ntwo\n\n- three\n  - and\n\n  more\n* four\n1. five\n"
    assert facts_of(text) == ["one", "two", "- three\n- and\n\nmore", "* four", "1. five"]
    assert facts_of("```sh\nmake a\nmake b\n```\n") == ["```sh\nmake a\nmake b\n```"]
    assert facts_of("") == facts_of("\n \n") == []
    with pytest.raises(UsageError, match="heading"):
        facts_of("# A note\n")


@pytest.mark.slow
@given(st.lists(st.from_regex(r"[a-z]{1,9}( [a-z]{1,9}){0,3}", fullmatch=True), min_size=1))
def test_a_line_each_comes_back_a_fact_each(lines: list[str]) -> None:
    assert facts_of("\n".join(lines)) == lines
    assert facts_of("".join(f"- {line}\n" for line in lines)) == [f"- {line}" for line in lines]
