"""Where wiki links lead."""

from __future__ import annotations

import pytest

from ctxrepo.domain.links import resolve

NOTES = {
    "shop/topics/redis.md",
    "shop/topics/deep/redis.md",
    "shop/MEMORY.md",
    "shop/Größe.md",
    "global/USER.md",
    "global/topics/git.md",
    "other/topics/secret.md",
}


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("redis", "shop/topics/redis.md"),  # beside it
        ("deep/redis", "shop/topics/deep/redis.md"),
        ("topics/redis.md", "shop/topics/redis.md"),
        ("redis|the cache", "shop/topics/redis.md"),
        ("redis#Ports|ports", "shop/topics/redis.md"),
        ("#Ports", "shop/topics/here.md"),
        ("MEMORY", "shop/MEMORY.md"),
        ("memory", "shop/MEMORY.md"),  # by its name, whatever the case
        ("größe", "shop/Größe.md"),
        ("USER", "global/USER.md"),
        ("git", "global/topics/git.md"),
        ("global:USER", "global/USER.md"),
        ("global/USER.md", "global/USER.md"),
        ("other:topics/secret", "other/topics/secret.md"),
        ("secret", ""),  # other projects are not looked through
        ("gone", ""),
        ("../../etc/passwd", ""),
        (":x", ""),
        ("global:", ""),
    ],
)
def test_where_it_leads(link: str, path: str) -> None:
    assert resolve(link, "shop/topics/here.md", NOTES) == path


def test_a_name_that_two_notes_share_leads_to_neither() -> None:
    assert resolve("redis", "shop/core/here.md", NOTES) == ""


@pytest.mark.parametrize("link", ["deploy", "topics/deploy", "shop/topics/deploy.md", "shop:topics/deploy"])
def test_what_went_to_the_archive_is_found_there(link: str) -> None:
    notes = {"shop/archive/topics/deploy.md", "shop/topics/here.md"}
    assert resolve(link, "shop/topics/here.md", notes) == "shop/archive/topics/deploy.md"
    live = "shop/topics/deploy.md"
    assert resolve(link, "shop/topics/here.md", {*notes, live}) == live
