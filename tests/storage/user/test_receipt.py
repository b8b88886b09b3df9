from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.storage.user.receipt import Choices, Receipt, WrittenFile, load, place

_PATHS = st.sampled_from([Path("/a"), Path("/é b/c"), Path("/not-utf8-\udcff")])
_ASKED = st.sampled_from([None, False, True])
_CHOICES = st.builds(Choices, st.sampled_from(["", "read", "write"]), _ASKED, _ASKED)


@given(
    st.builds(
        Receipt,
        files=st.dictionaries(
            _PATHS, st.builds(WrittenFile, st.none() | st.binary(), st.text("0123456789abcdef")), min_size=1
        ),
        skills=st.dictionaries(_PATHS, st.text("0123456789abcdef")),
        folders=st.lists(_PATHS).map(tuple),
        choices=_CHOICES,
    )
)
def test_a_receipt_reads_back(receipt: Receipt) -> None:
    assert load(receipt.dump()) == receipt


@given(_CHOICES, _CHOICES, _CHOICES)
def test_what_was_chosen_goes_before_what_others_say(first: Choices, second: Choices, third: Choices) -> None:
    assert Choices().over(first) == first.over(Choices()) == first
    assert first.over(second).over(third) == first.over(second.over(third))


def test_to_decline_is_to_choose() -> None:
    others = Choices("write", mcp=True, enforces=True)
    assert Choices("none", mcp=False).over(others) == Choices("none", mcp=False, enforces=True)
    assert Choices(enforces=False).over(others) == Choices("write", mcp=True, enforces=False)


OLD = b"""{
  "version": 1,
  "settings": "/home/ada/.claude/settings.json",
  "original": "e30K",
  "written": "ab12",
  "skills": {
    "/home/ada/.claude/skills/memory-write/SKILL.md": "cd34"
  },
  "folders": [
    "/home/ada/.claude/skills"
  ]
}
"""


def test_a_receipt_of_one_file_is_as_it_always_was() -> None:
    settings = Path("/home/ada/.claude/settings.json")
    skills = settings.parent / "skills"
    known = Receipt(
        {settings: WrittenFile(b"{}\n", "ab12")}, {skills / "memory-write/SKILL.md": "cd34"}, (skills,)
    )
    assert load(OLD) == known
    assert known.dump() == OLD


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"[]",
        b"\xff",
        b'{"version": 2}',
        Receipt({Path("/a"): WrittenFile(b"x", "")}).dump()[:-20],
        Receipt({Path("/a"): WrittenFile(b"xyz", "")}).dump().replace(b"eHl6", b"eH*6"),
        Receipt({Path("/a"): WrittenFile(b"", "")}).dump().replace(b'"skills": {}', b'"skills": 3'),
    ],
)
def test_a_damaged_receipt_is_a_lost_one(data: bytes | None) -> None:
    assert load(data) is None


def test_settings_in_another_place_have_a_receipt_of_their_own() -> None:
    config = Path("/c")
    assert place(config, "claude") == Path("/c/receipts/claude.json")
    others = {place(config, "claude", Path(p)) for p in ("/desk/settings.json", "/play/settings.json")}
    assert len(others) == 2
    assert place(config, "claude") not in others
