"""Readers meet the words that the glossary gives them, and none that belong to the code alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]

HOUSE = re.compile(
    r"\b(packets?|lanes?|preambles?|ledgers?|spools?|desks?|hushed|zombies|struck|receipts?|settle[sd]?|settling"
    r"|mend(?:s|ed|ing)?|put aside|kept aside)\b",
    re.IGNORECASE,
)
"""House words of docs/glossary.md, and others that a reader outside the code has to guess."""

PAGES = sorted(
    [
        CHECKOUT / "README.md",
        *(CHECKOUT / "docs").glob("*.md"),
        *(CHECKOUT / "docs" / "tutorial").glob("*.md"),
        *(CHECKOUT / "docs" / "how-to").glob("*.md"),
        *(CHECKOUT / "docs" / "reference").glob("*.md"),
        *(CHECKOUT / "skills").rglob("*.md"),
        *(CHECKOUT / "templates").rglob("*.md"),
    ]
)

ALLOWED = {
    ("docs/glossary.md", ""): "it explains the house words",
    ("docs/reference/cli.md", "zombies"): "an option of `ctxrepo stats` has this name",
    ("docs/reference/files.md", "ledger"): "the name of the file in the code, for those who look into it",
}
"""Words that a page may use, each with its reason; all of them where none is named."""

_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`]+`|\]\([^)]*\)")


def prose(text: str) -> str:
    """The text without what commands are called and print, and without the targets of links."""
    return _CODE.sub("", _FENCE.sub("", text))


def house_words(text: str) -> Iterator[tuple[str, str]]:
    """Each house word, and the line that has it."""
    for line in prose(text).splitlines():
        for word in HOUSE.findall(line):
            yield word, line.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_a_page_for_users_has_no_house_words(page: Path) -> None:
    name = page.relative_to(CHECKOUT).as_posix()
    words = house_words(page.read_text("utf-8"))
    assert not [line for word, line in words if not {(name, ""), (name, word.lower())} & ALLOWED.keys()]
