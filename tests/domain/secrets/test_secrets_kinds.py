"""Kinds of secrets as people write them, line by line in secret_lines.txt; what is random is made here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from each import for_each
from made import Maker

from ctxrepo.domain.secrets import mask, scan

LINES = (Path(__file__).parent / "secret_lines.txt").read_text("utf-8").splitlines()
_FIELD = re.compile(r"(\{(?:[aAubhdt](?:[89]|\d{2,})|uuid|pair)\})")


@pytest.mark.slow
@for_each(LINES, name=str)
def test_it_is_found_and_nothing_of_it_is_left(line: str) -> None:
    maker = Maker()
    template = line.replace("\\n", "\n").replace("\\\n", "\\n")
    for _ in range(3):
        parts = [maker.filled(part) for part in _FIELD.split(template)]
        text = f"# Notes\n\n- see\n{''.join(parts)}\nmore\n"
        assert scan(text), text
        for made in parts[-2:-1]:
            assert made not in mask(text), mask(text)
