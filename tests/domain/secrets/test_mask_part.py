"""Nothing of a private key is shown of which a text has only one end."""

from __future__ import annotations

import base64
import json
import random

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.secrets import mask_part

LINES = [base64.b64encode(random.Random(n).randbytes(48)).decode() for n in range(50)]
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"


def shows_none(text: str) -> bool:
    return not any(line[:16] in text or line[-16:] in text for line in LINES)


def test_a_key_of_which_one_end_is_cut_off_is_hidden() -> None:
    body = "\n".join(LINES)
    numbered = "\n".join(f"{n:>5}→{line}" for n, line in enumerate(LINES))
    for text in (f"{body}\n{END} bye.", f"hi. {BEGIN}\n{body}", f"hi. {BEGIN}\n{body}\n{END} bye."):
        assert shows_none(mask_part(text)), text[:50]
        assert shows_none(mask_part(json.dumps(text)))
    assert mask_part(f"{body}\n{END} bye.") == f"[private-key]{END} bye."
    assert shows_none(mask_part(f"hi. {BEGIN}\n{numbered}"))
    assert shows_none(mask_part(f"{numbered}\n{END}"))


def test_a_marker_that_is_only_talked_about_hides_nothing() -> None:
    for text in (f"a key begins with {BEGIN} and ends with {END} as you know", f"{END} is its last line"):
        assert mask_part(text) == text


@given(st.lists(st.sampled_from([BEGIN, END, *LINES[:3], "so", "\n", "."]), max_size=30))
def test_nothing_stands_beside_a_marker(parts: list[str]) -> None:
    shown = mask_part("\n".join(parts))
    for line in LINES[:3]:
        assert f"{BEGIN}\n{line}" not in shown
        assert f"{line}\n{END}" not in shown
