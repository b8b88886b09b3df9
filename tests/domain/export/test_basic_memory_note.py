"""A note of ours as basic-memory reads it."""

from __future__ import annotations

import pytest

from ctxrepo.domain.export.basic_memory_note import basic_memory_note, permalink


def body(text: str, *superseded: int) -> str:
    return basic_memory_note("topics/a.md", text, superseded).split("---\n", 2)[2]


@pytest.mark.parametrize(
    ("line", "becomes"),
    [
        ("- Tea is hot #tea (Ada)", "- [note] Tea is hot #tea (Ada)"),
        ("- [fact] Tea is hot", "- [fact] Tea is hot"),
        ("1. Tea is hot", "1. [note] Tea is hot"),
        ("- [ ] Make tea", "- [ ] Make tea"),
        ("- [x] Make tea", "- [x] Make tea"),
        ("- uses [[topics/tea]]", "- uses [[topics/tea]]"),
        ('- "depends on" [[topics/tea]] (why)', '- "depends on" [[topics/tea]] (why)'),
        ("- see how [[topics/tea]] is made", "- [note] see how [[topics/tea]] is made"),
        ("- [[topics/tea]]", "- [[topics/tea]]"),
        ("- [tea](https://example.org)", "- [tea](https://example.org)"),
        ("A paragraph", "A paragraph"),
    ],
)
def test_what_is_a_fact_becomes_an_observation(line: str, becomes: str) -> None:
    assert body(f"# A\n\n{line}\n  more of it\n") == f"# A\n\n{becomes}\n  more of it\n"


def test_a_superseded_fact_says_so() -> None:
    assert (
        body("- [fact] Old\n- New\n- Older\n", 1, 3)
        == "- [superseded] Old\n- [note] New\n- [superseded] Older\n"
    )


def test_its_head_gets_what_is_asked_for_there_and_keeps_the_rest() -> None:
    text = "\ufeff---\r\ndescription: x\r\nodd: [1]\r\nupdated: 2026-01-02\r\n---\r\n# Build it\r\n"
    assert basic_memory_note("topics/Über_uns.md", text) == (
        "---\r\ndescription: x\r\nodd: [1]\r\nupdated: 2026-01-02\r\ntitle: Build it\r\ntype: note\r\n"
        "permalink: topics/über-uns\r\nmodified: 2026-01-02\r\n---\r\n# Build it\r\n"
    )
    kept = "---\ntitle: T\ntype: guide\npermalink: p\n---\n"
    assert basic_memory_note("a.md", kept) == kept


def test_a_head_that_cant_be_read_stays_the_only_one() -> None:
    text = "---\ntags: [a\n---\n- Tea\n"
    assert basic_memory_note("a.md", text) == "---\ntags: [a\n---\n- [note] Tea\n"


def test_a_date_that_is_none_would_hide_the_note_there() -> None:
    text = "---\ncreated: soon\nupdated: 2026-01-02\n---\n"
    assert "created: 2026-01-02\n" in basic_memory_note("a.md", text)


def test_permalinks_have_letters_digits_dashes() -> None:
    assert permalink("Topics/My  Note_v2.0 (x).md") == "topics/my-note-v2.0-x"
