"""A brief keeps to its bytes, and gives each section its turn."""

from __future__ import annotations

from ctxrepo.domain.dream.brief import BYTES, Brief, BriefSection


def test_each_section_gets_its_turn_and_what_has_no_room_is_counted() -> None:
    many = [f"- {number:03} {'é' * 100}" for number in range(100)]
    sections = [BriefSection("a", "First", "Do.", many), BriefSection("b", "Second", "Do.", many, left=7)]
    text = Brief("shop", "2026-11-20", sections).text()
    assert BYTES - 500 < len(text.encode()) <= BYTES
    first, second = (part.count("é" * 100) for part in text.split("## Second"))
    assert first in (second, second + 1)
    assert f"… {100 - first} more" in text
    assert f"… {107 - second} more" in text
    assert "last tidied on 2026-11-20" in text


def test_without_anything_to_do_it_says_nothing_else() -> None:
    assert Brief("shop", "", ()).text() == "# What there is to tidy up in shop/\n\nNothing.\n"
