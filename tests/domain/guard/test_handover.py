"""What a command in a sandbox may hand over."""

from __future__ import annotations

import pytest

from ctxrepo.domain.guard.handover import why_not_taken
from ctxrepo.domain.records.save import Origin, Save

NOTE = "shop/topics/pay.md"
ONE, TWO = b"- the first\n", b"- the first\n- the second\n"

PROPOSAL = b'{"id": "a1", "verb": "remember", "text": "x", "scope": "shop"}\n'
PROPOSING = "it does more than propose"


def save(path: str, base: bytes | None, after: bytes | None, op: str = "remember") -> Save:
    return Save(path, base, after, op, Origin("here"))


@pytest.mark.parametrize(
    "taken",
    [
        save(NOTE, None, ONE, "new"),
        save(NOTE, ONE, TWO),
        save(NOTE, ONE, b"- another\n", "edit"),
        save("ctxrepo.toml", None, b'[projects]\n"example.org/shop" = "shop"\n'),
        save(".ctx/evidence/host-2026-11.jsonl", b'{"id": "1"}\n', b'{"id": "1"}\n{"id": "2"}\n'),
        save("TAPE/shop/anchors.jsonl", None, b'{"id": "1"}\n', "anchor"),
        save("inbox/h.jsonl", PROPOSAL, PROPOSAL + PROPOSAL.replace(b"a1", b"a2"), "stage"),
    ],
    ids=lambda save: f"{save.op} {save.path}",
)
def test_what_adds_is_taken(taken: Save) -> None:
    assert why_not_taken([taken]) == ""


@pytest.mark.parametrize(
    ("saves", "why"),
    [
        ([], "it can't be read"),
        ([save(NOTE, TWO, ONE, "forget")], "`forget` may not be handed over"),
        ([save(NOTE, ONE, TWO, "sync")], "`sync` may not be handed over"),
        ([save(NOTE, TWO, ONE)], f"it takes more away from {NOTE} than it adds"),
        ([save(NOTE, TWO, b"- only this\n", "edit")], f"it takes more away from {NOTE} than it adds"),
        ([save(NOTE, TWO, b"- other\n- words\n")], f"it takes more away from {NOTE} than it adds"),
        (
            [save("ctxrepo.toml", b'[projects]\n"x/shop" = "shop"\n', b'[projects]\n"x/shop" = "bank"\n')],
            "it takes more away from ctxrepo.toml than it adds",
        ),
        ([save(NOTE, ONE, None, "edit")], f"it takes more away from {NOTE} than it adds"),
        ([save(".git/hooks/post-commit", None, b"#!/bin/sh\n")], ".git/hooks/post-commit is no note"),
        ([save(".gitattributes", None, b"* filter=x\n")], ".gitattributes is no note"),
        ([save("shop/run.sh", None, b"true\n")], "shop/run.sh is no note"),
        *(
            ([save(path, None, ONE)], f"{path} is no note")
            for path in ("../x.md", "/etc/x.md", ".git/x.md", "a/../../x.md", "TAPE/../../x.jsonl")
        ),
        ([save("inbox/h.jsonl", PROPOSAL, PROPOSAL + b'{"id": "b", "deleted": true}\n', "stage")], PROPOSING),
        ([save("inbox/h.jsonl", None, b'{"id": "b", "deleted": true}\n')], PROPOSING),
        ([save(NOTE, ONE, TWO), save("../.bashrc", None, b"true\n")], "../.bashrc is no note"),
    ],
)
def test_all_else_is_not(saves: list[Save], why: str) -> None:
    assert why_not_taken(saves) == why
