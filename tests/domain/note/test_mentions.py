"""Files are told from other words, and what is stored of them is found again when one is edited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.links import mentions_of
from ctxrepo.hooks.moments.reminders import named_parts


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("- `src/pay/retry_client.py` retries", {"retry_client.py", "pay/retry_client.py"}),
        ("see Retry_Client.py:120.", {"retry_client.py"}),
        ("(in web/index.ts, line 3)", {"index.ts", "web/index.ts"}),
        ("./Makefile and ../Dockerfile", {"makefile", "dockerfile"}),
        ("~/.bashrc", {".bashrc"}),
        ("a.tar.gz", {"a.tar.gz"}),
        ("Ends with config.yaml.", {"config.yaml"}),
        ("改src/pay/x.py了", {"x.py", "pay/x.py"}),
        ("the file is large", set()),
        ("a profile of 1.5 seconds, e.g. this; version 1.2.3.", set()),
        ("https://example.org/a/b.html and ada@example.org", set()),
        ("Nothing. At all.", set()),
        ("x" * 200 + ".py", set()),
    ],
)
def test_what_names_a_file(text: str, names: set[str]) -> None:
    assert mentions_of(text) == names


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("`src/pay/retry.py`", 3),
        ("pay/retry.py:12", 2),
        ("RETRY.py.", 1),
        ("/home/ada/src/pay/retry.py", 5),
        ("./src/pay/retry.py", 3),
        ("other/retry.py", 0),
        ("other/retry.py, pay/retry.py", 2),
        ("my_retry.py", 0),
        ("retry.pyc", 0),
        ("retry.py-old", 0),
        ("https://src/pay/retry.py", 0),
        ("", 0),
    ],
)
def test_how_well_a_text_fits_a_path(text: str, parts: int) -> None:
    assert named_parts(text, ["", "home", "ada", "src", "pay", "retry.py"]) == parts


PART = st.text("abcXYZ019_-", min_size=1, max_size=8).filter(lambda part: part.strip("-"))


@given(st.lists(PART, max_size=3), PART, st.sampled_from(["py", "ts", "md"]), st.text(max_size=20))
def test_what_is_stored_of_a_path_is_found_by_it(
    folders: list[str], stem: str, extension: str, beside: str
) -> None:
    path = "/".join([*folders, f"a{stem}.{extension}"])
    text = f"{beside} `{path}:12` {beside}"
    names = mentions_of(text)
    assert path.lower().rpartition("/")[2] in names
    assert "/".join(path.lower().split("/")[-2:]) in names
    assert named_parts(text, ["", "home", *path.lower().split("/")]) >= len(folders) + 1
