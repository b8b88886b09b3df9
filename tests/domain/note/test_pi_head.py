"""Heads as pi-memory-md reads them, which does it with gray-matter 4.0.3."""

from __future__ import annotations

import pytest

from ctxrepo.domain.note.pi_head import PiHead, pi_head

NOTHING = PiHead()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("---\ndescription: d\ntags: [a, b]\n---\nx", PiHead("d", "a, b")),
        ("\ufeff---\r\ndescription: d\r\ntags:\r\n  - a\r\n---\r\nx", PiHead("d", "a")),
        ("---\ndescription: d\ntags: [a, a]\n---\n", PiHead("d", "a, a")),
        ("---\ntags: [1, 2.0, 3.10, true, null]\n---\n", PiHead("", "1, 2, 3.1, true, ")),
        ("---\ntags: [[x, y], {a: 1}]\n---\n", PiHead("", "x,y, [object Object]")),
        ("---\ndescription: yes\ntags: [on, off]\n---\n", PiHead("yes", "on, off")),
        ("---\ndescription: |\n  two\n  lines\n---\n", PiHead("two\nlines\n", "")),
        ("---\ndescription: never closed\n", PiHead("never closed", "")),
        ("---\ndescription: d\n----\nx", PiHead("d", "")),
        ("---yaml\ndescription: d\n---\n", PiHead("d", "")),
        ('---\ndescription: ""\ntags: []\n---\n', NOTHING),
        ("# no head\n", NOTHING),
        ("", NOTHING),
        ("---\n---\n", NOTHING),
        ("---\n# only a comment\n---\n", NOTHING),
        ("----\ndescription: d\n----\n", NOTHING),
        (" ---\ndescription: d\n---\n", NOTHING),
    ],
)  # fmt: skip
def test_d27_a_head(text: str, wanted: PiHead) -> None:
    assert pi_head(text) == wanted


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
    assert pi_head(f"---\n{head}\n---\n") == NOTHING
    assert pi_head("---\n" + "\n".join(others.values()) + "\n---\n") == PiHead("d", "a")


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
    assert pi_head(text) == NOTHING
