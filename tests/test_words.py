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
        *(CHECKOUT / "skills").rglob("*.md"),
        *(CHECKOUT / "templates").rglob("*.md"),
    ]
)

ALLOWED = {
    "docs/glossary.md": "it explains the house words",
}
"""Pages that may use the house words, each with its reason."""

_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`]+`|\]\([^)]*\)")


def prose(text: str) -> str:
    """The text without what commands are called and print, and without the targets of links."""
    return _CODE.sub("", _FENCE.sub("", text))


def house_words(text: str) -> Iterator[str]:
    for line in prose(text).splitlines():
        for word in HOUSE.findall(line):
            yield f"{word} in: {line.strip()}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(CHECKOUT).as_posix())
def test_a_page_for_users_has_no_house_words(page: Path) -> None:
    if page.relative_to(CHECKOUT).as_posix() in ALLOWED:
        return
    assert not [*house_words(page.read_text("utf-8"))]
