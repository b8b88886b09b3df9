"""A person's evening: a memory in which 40 items of all kinds wait, the same ones each time."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from machines import NOW, Machine
from transcripts import claude_says

from ctxrepo.app.desk import Call, Desk
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.decision import ItemToDecide
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.anchors import Anchor, to_line
from ctxrepo.hooks.session.ledger import add
from ctxrepo.hooks.session.ledger_file import ledger_path, mark_of
from ctxrepo.services.notes.proposing import propose
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.review.items import items_to_decide
from ctxrepo.services.saving.commit import commit

SESSION = "8f2e1c3d-5b6a"
CONFLICTS, DELETED, PROPOSALS = 14, 12, 12

TOPICS = {
    "deploy": ("Deploy with `make ship`", "Deploy with `make ship` after 17:00", "Deploy from main only"),
    "database": ("The staging port is 5433", "The staging port is 5433, read only", "Staging is on 5434"),
    "支付": ("结算在夜间运行", "结算在夜间运行, 失败时重试三次", "结算在凌晨两点运行"),
    "مهام": ("الخادم يعمل على المنفذ 8080", "الخادم يعمل على المنفذ 8081", "الخادم يعمل على المنفذ 9090"),
    "🚀": ("Releases are 🚀 tagged", "Releases are 🚀 tagged and signed", "Releases are 👩‍🚀 announced"),
}
"""What two machines wrote of one thing: before, here, there; in scripts that tables get wrong."""

OTHERS = (
    "reviews of whatever touches money",
    "lunch meetings at noon",
    "fonts that somebody else serves",
    "logos in every single colour",
    "letters sent out at dawn",
    "refunds paid by bank",
    "carts that never expire",
    "an office in Zurich alone",
    "prices shown before taxes",
    "tickets with long prefixes",
    "photos cropped by hand",
    "menus that follow scrolling",
)
"""What is proposed against; no proposal is like another one, so that none is in doubt once it is accepted."""


def note(text: str, about: str) -> str:
    return f"---\ndescription: {about}\ntags: [shop]\nupdated: 2026-11-20\n---\n# {about}\n\n{text}\n"


def conflict_files() -> dict[str, str]:
    """path -> text of notes of which two machines had two versions, and of those that lost."""
    files: dict[str, str] = {}
    topics = list(TOPICS.items())
    for number in range(CONFLICTS):
        name, (base, kept, other) = topics[number % len(topics)]
        path = f"shop/topics/{name}-{number:02}.md"
        lines = [f"- {text} ({number})" for text in (base, kept, other)]
        files[path] = note(lines[1], f"What is known of {name}")
        copy, data = copy_as_file(ConflictCopy(path, *lines))
        files[copy] = data.decode()
    return files


def evening(machine: Machine, remote: Path) -> Machine:
    """Everything that can wait does; what is declined makes no difference between two machines."""
    machine.init(str(remote))
    machine.places.host_file.write_text("desk\n")
    memory = machine.open()
    for path, text in conflict_files().items():
        machine.write(path, text)
    for number in range(DELETED):
        machine.write(f"shop/old/plan-{number:02}.md", note(f"- plan {number}", f"Plan {number}"))
    commit(memory, NOW)
    struck_out(machine, remote)
    for number in range(PROPOSALS):
        fact = Fact(f"the team prefers plan {number} over {OTHERS[number]}")
        origin = Origin(memory.host, SESSION, "claude")
        at = NOW + timedelta(minutes=number)
        name = f"{number + 10:02x}" * 6
        with patch("ctxrepo.services.notes.proposing.random_name", return_value=name):
            propose(memory, fact, machine.project(), origin, at)
    tape = [anchor_line(number) for number in range(6)]
    machine.write("TAPE/shop/desk.jsonl", "\n".join(tape) + "\n")
    session(machine)
    for number in range(DELETED):
        (machine.clone / f"shop/old/plan-{number:02}.md").unlink()
    machine.write("shop/topics/keys.md", note("- key " + "AKIA" + "QYLPMN5HFIQR7XYA", "Keys"))
    commit(memory, NOW)
    return machine


def struck_out(machine: Machine, remote: Path) -> None:
    """A commit was sent for review, and its branch deleted."""
    config = machine.places.config_file
    before = config.read_text()
    machine.sync()
    config.write_text(before.replace("[[repository]]\n", '[[repository]]\nreview = "branch"\n'))
    machine.write("shop/topics/unwanted.md", note("- unwanted", "Unwanted"))
    branch = machine.sync().branch
    subprocess.run(["git", "-C", str(remote), "branch", "-q", "-D", branch], check=True)
    machine.sync()
    config.write_text(before)


def session(machine: Machine) -> None:
    """A session that was served, with what was said in it."""
    claude_says(
        machine, SESSION, [f"{who} {n}" for n in range(6) for who in ("what about step", "done with")]
    )
    path = ledger_path(str(machine.places.state), "claude", SESSION)
    began = int(NOW.timestamp()) - 3600
    add(path, [f"began {began}", f"cwd {machine.project_folder}"])
    add(path, [f"{mark_of(machine.open().state.id)}project shop"])
    os.utime(path, (began, began))


def anchor_line(number: int) -> str:
    purposes, triggers = ("fix", "plan", "review"), ("direct", "keyword", "compaction")
    meta = {
        "summary": f"Basket step {number} is done; payments come next",
        "purpose": purposes[number % 3],
        "trigger": triggers[number % 3],
        "keywords": ["basket", *(["payments"] if number % 2 else [])],
    }
    when, entry = f"2026-11-20T18:00:{2 * number + 1:02}.500Z", f"{SESSION}-{2 * number + 1:04}"
    name = f"basket-{number}"
    return to_line(
        Anchor(f"{number:06x}ab", when, name, "handoff", SESSION, entry, meta, "desk", agent="claude")
    )


def waiting(machine: Machine) -> list[ItemToDecide]:
    memory = machine.open()
    commit(memory, datetime.now(UTC))
    return items_to_decide(memory)


def shared_desk(machine: Machine, now: datetime | None = None) -> Desk:
    """A desk for a screen, in the project's folder; `now` stands still where it is given."""
    call = Call(machine.project_folder, machine.env)
    return Desk.shared(call, lambda: now or datetime.now(UTC), sys.executable)


def desk_at(machine: Machine) -> Desk:
    """A desk of one thread, as a command has."""
    return Desk(Call(machine.project_folder, machine.env), lambda: datetime.now(UTC), sys.executable)
