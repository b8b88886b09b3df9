"""TOML read: what it says, where, and what is wrong with it."""

from __future__ import annotations

import pytest

from ctxrepo.domain.formats.toml import lines_of, read
from ctxrepo.errors import ConfigError


def test_the_lines_on_which_keys_stand() -> None:
    text = '# c\n[[r]]\np = 1\n\n[[r]]\nq = """\n[no]\n"""\n[s]\nx = [\n  # [not]\n  1,\n]\ny.z = 1\n'
    assert lines_of(text) == {
        ("r",): 2, ("r", "p"): 3, ("r[1]",): 5, ("r[1]", "q"): 6, ("s",): 9, ("s", "x"): 10, ("s", "y"): 14,
        ("s", "y", "z"): 14,
    }  # fmt: skip
    assert lines_of("s = {x = 1}\ns2.x = 1\n")["s2", "x"] == 2


@pytest.mark.parametrize(
    ("text", "place"), [("[", "end of document"), ("a = 1\nb = \n", "line 2"), ("a = 1\na = 2\n", "line 2")]
)
def test_what_is_no_toml_is_told_in_one_line_with_its_place(text: str, place: str) -> None:
    with pytest.raises(ConfigError, match=f"^not readable TOML: .*{place}") as error:
        read(text)
    assert "\n" not in error.value.message
