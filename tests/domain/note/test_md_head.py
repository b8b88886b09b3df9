"""Heads as pi-memory-md reads them, which does it with gray-matter 4.0.3."""

from __future__ import annotations

import pytest

from ctxrepo.domain.note.md_head import MdHead, md_head

NOTHING = MdHead()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("---\ndescription: d\ntags: [a, b]\n---\nx", MdHead("d", "a, b")),
        ("\ufeff---\r\ndescription: d\r\ntags:\r\n  - a\r\n---\r\nx", MdHead("d", "a")),
        ("---\ndescription: d\ntags: [a, a]\n---\n", MdHead("d", "a, a")),
        ("---\ntags: [1, 2.0, 3.10, true, null]\n---\n", MdHead("", "1, 2, 3.1, true, ")),
        ("---\ntags: [[x, y], {a: 1}]\n---\n", MdHead("", "x,y, [object Object]")),
        ("---\ndescription: yes\ntags: [on, off]\n---\n", MdHead("yes", "on, off")),
        ("---\ndescription: |\n  two\n  lines\n---\n", MdHead("two\nlines\n", "")),
        ("---\ndescription: never closed\n", MdHead("never closed", "")),
        ("---\ndescription: d\n----\nx", MdHead("d", "")),
        ("---yaml\ndescription: d\n---\n", MdHead("d", "")),
        ('---\ndescription: ""\ntags: []\n---\n', NOTHING),
        ("# no head\n", NOTHING),
        ("", NOTHING),
        ("---\n---\n", NOTHING),
        ("---\n# only a comment\n---\n", NOTHING),
        ("----\ndescription: d\n----\n", NOTHING),
        (" ---\ndescription: d\n---\n", NOTHING),
    ],
)  # fmt: skip
def test_d27_a_head(text: str, wanted: MdHead) -> None:
    assert md_head(text) == wanted


@pytest.mark.parametrize(
    "line",
    [
        "tags: a",
        "tags:",
        "tags: {a: 1}",
        "description: 3",
        "description:",
        "limit: 0",
        "limit: '9'",
        "limit: true",
    ],
)
def test_d27_one_field_of_the_wrong_kind_and_the_head_is_none(line: str) -> None:
    key = line.partition(":")[0]
    others = {"description": "description: d", "tags": "tags: [a]", "limit": "limit: 4000"}
    head = "\n".join([*(text for name, text in others.items() if name != key), line])
    assert md_head(f"---\n{head}\n---\n") == NOTHING
    assert md_head("---\n" + "\n".join(others.values()) + "\n---\n") == MdHead("d", "a")


@pytest.mark.parametrize(
    "text",
    [
        '---\ndescription: "open\ntags: [a\n---\n',
        "---js\n{description: require('fs').writeFileSync('sprung', '')}\n---\n",
        "---\ndescription: !!python/object/apply:os.system ['touch sprung']\n---\n",
        "---\na: &a [x, x]\nb: *a\n---\n",
    ],
)
def test_what_it_can_not_read_or_would_run_is_no_head(text: str) -> None:
    assert md_head(text) == NOTHING
