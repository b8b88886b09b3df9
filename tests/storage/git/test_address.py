"""Which addresses of remotes may be used."""

from __future__ import annotations

import pytest

from ctxrepo.errors import UsageError
from ctxrepo.storage.git.address import carries_password, check_url

TOKEN = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "url",
    [
        "https://h/x.git",
        "ssh://git@h:22/x",
        "git@h:x.git",
        "h:x",
        "ssh://h:22/x@y",
        "ssh://git@h:22/x@y",
        "/abs/x.git",
        "file:///x",
        "ssh://h/~/x",
    ],
)
def test_addresses_that_are_spoken(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    ["--upload-pack=touch x", "-x", "ext::sh -c x", "http://h/x", "git://h/x", "ftp://h/x", "https://a:b@h/x",
     "https://a:b/c@h/x", "https://a:b@c@h/x", "https://a:12@h/x", "ssh://a:b@h/x", "https://h/a\nb",
     f"https://{TOKEN}@h/x", f"https://h/x?token={TOKEN}"],
)  # fmt: skip
def test_addresses_that_are_not(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_url(url)
    assert TOKEN not in f"{caught.value.message} {caught.value.hint}"


def test_a_name_alone_is_no_password() -> None:
    assert not carries_password("ssh://git@h:22/x")
    assert carries_password("https://ada:word@h/x")
