"""Builder: a memory that holds something of every kind, as months of use leave it."""

from __future__ import annotations

import json

from machines import NOW, Machine

from ctxrepo.services.saving.commit import commit

ODD = {
    "global/topics/mark.md": b"\xef\xbb\xbf---\r\ndescription: x\r\nodd: [1]\r\n---\r\n- Lifts are slow\r\n",
    "global/topics/open.md": b"- The last line has no end",
    "global/topics/empty.md": b"",
    "global/topics/café 日本.md": "- Die Tür ist grün und 日本語\n".encode(),
    "shop/topics/latin.md": b"- caf\xe9 au lait\r\n",
    "shop/core/TASK.md": b"---\ncreated: 2025-01-02\nowner: Ada  # mine\n---\n\n# Task\n\n- Ship it\n",
    "shop/prices.csv": b"what,price\ntea,2\n",
    "shop/archive/topics/old.md": b"- The old till was blue\n",
}
"""path -> bytes, as editors and other programs save files."""


def fill(machine: Machine) -> None:
    """Write something of every kind, and commit it."""
    for path, data in ODD.items():
        file = machine.clone / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    commit(machine.open(), NOW)
    for words in (
        ["remember", "The staging door opens at nine", "--pin", "--tag", "doors"],
        ["remember", "Mondays", "--key", "deploy.day", "--category", "decision"],
        ["remember", "Payment retries start at ten seconds", "--category", "fact"],
        ["remember", "Refunds are booked at night", "--note", "topics/payments"],
        ["remember", "Tea is served at four", "--scope", "global"],
        ["log", "Fixed the till"],
        ["scratch", "add", "Ask Ben about the till"],
        ["anchor", "till/fixed", "--summary", "The till works again", "--purpose", "handoff"],
    ):
        _run(machine, *words)
    _run(machine, "sync")
    _run(machine, "remember", "Fridays", "--key", "deploy.day", "--category", "decision")
    _run(machine, "remember", "Payment retries start at ten seconds", "--category", "fact")
    _run(
        machine, "remember", "Tea is served at five", "--scope", "global", "--supersedes", _id(machine, "Tea")
    )
    _run(machine, "verify", _id(machine, "Refunds"))
    _run(machine, "forget", _id(machine, "Lifts"))
    task = _id(machine, "Ship it")
    _run(machine, "forget", task)
    _run(machine, "sync")
    _run(machine, "restore", task)
    _run(machine, "anchor", "till/wrong", "--summary", "A mistake", "--purpose", "none")
    anchors = json.loads(_run(machine, "tape", "list", "--json"))["data"]["anchors"]
    (wrong,) = (anchor["id"] for anchor in anchors if anchor["name"] == "till/wrong")
    _run(machine, "tape", "delete", f"^{wrong.removeprefix('^')}")
    _run(machine, "edit", _id(machine, "staging"), "--old", "nine", "--new", "eight")
    _run(machine, "sync")


def _run(machine: Machine, *words: str) -> str:
    run = machine.ctxrepo(*words)
    assert run.returncode == 0, (words, run.stderr)
    return run.stdout


def _id(machine: Machine, word: str) -> str:
    hits = json.loads(_run(machine, "search", word, "--json"))["data"]["hits"]
    return str(next(hit["id"] for hit in hits if word in hit["text"]))
