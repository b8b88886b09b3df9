from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.storage.user.receipt import Receipt, load, place

_PATHS = st.sampled_from([Path("/a"), Path("/é b/c"), Path("/not-utf8-\udcff")])


@given(
    st.builds(
        Receipt,
        settings=_PATHS,
        original=st.none() | st.binary(),
        written=st.text("0123456789abcdef"),
        skills=st.dictionaries(_PATHS, st.text("0123456789abcdef")),
        folders=st.lists(_PATHS).map(tuple),
    )
)
def test_a_receipt_reads_back(receipt: Receipt) -> None:
    assert load(receipt.dump()) == receipt


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"[]",
        b"\xff",
        b'{"version": 2}',
        Receipt(Path("/a"), b"x", "").dump()[:-20],
        Receipt(Path("/a"), b"xyz", "").dump().replace(b"eHl6", b"eH*6"),
        Receipt(Path("/a"), b"", "").dump().replace(b'"skills": {}', b'"skills": 3'),
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
