"""A made-up memory of three machines, three scopes and four weeks, for pictures and tests of what shows
a memory: with history, anchors, usage, two machines' versions apart, proposals and what is held back."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from machines import Machine, make_machine
from repositories import make_checkout

from ctxrepo.domain.project.layout import tapes_of
from ctxrepo.domain.records.conflict_copy import ConflictCopy, copy_as_file
from ctxrepo.domain.records.save import Origin
from ctxrepo.domain.tape.anchors import Anchor, Type, to_line
from ctxrepo.services.locate.look import find_project
from ctxrepo.services.notes.remember import propose, remember
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.repository.init import InitRequest, init
from ctxrepo.services.saving.commit import commit
from ctxrepo.services.saving.refresh import complete
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.usage import UsageStore

NOW = datetime(2026, 11, 27, 15, 40, tzinfo=UTC)
"""When one looks at it."""

HOSTS = {"laptop": "laptop-3f1c", "desktop": "desktop-77ab", "build": "buildbox-0e42"}

# (days ago, hour, scope, machine, agent, fact, more)
FACTS: tuple[tuple[int, int, str, str, str, str, dict[str, object]], ...] = (
    (27, 10, "global", "laptop", "claude", "Short answers first, then the reasons", {"pin": True}),
    (26, 16, "shop", "laptop", "claude", "Tests need Valkey on port 6390: `make valkey` starts it",
     {"category": "gotcha", "pin": True}),
    (25, 9, "shop", "laptop", "claude", "`src/client.py` counts in cents, every other file in euros",
     {"category": "gotcha"}),
    (24, 14, "shop", "desktop", "codex", "Releases are cut from tags; a tag is never moved",
     {"category": "decision"}),
    (23, 11, "site", "desktop", "codex", "Hugo stays at 0.121: newer ones break the price table",
     {"category": "gotcha"}),
    (21, 17, "shop", "laptop", "claude", "the staging database answers on 5433", {"key": "port"}),
    (20, 10, "site", "laptop", "gemini", "Product pictures are 1440 × 900, with the light theme", {}),
    (18, 15, "shop", "build", "codex", "A release build takes eleven minutes, most of it for pictures", {}),
    (16, 9, "shop", "desktop", "claude", "Rollbacks take the last green tag, not the last commit",
     {"category": "decision"}),
    (14, 18, "global", "desktop", "claude", "Commit messages: one sentence, present tense", {}),
    (13, 13, "site", "laptop", "claude", "Drafts show with `hugo -D --buildFuture`", {"category": "howto"}),
    (11, 10, "shop", "laptop", "claude", "Invoices are rounded per line, and the sum is not rounded again",
     {"category": "decision"}),
    (9, 16, "shop", "build", "codex", "The price import needs `PRICE_TIMEOUT=600`", {"category": "gotcha"}),
    (7, 9, "site", "desktop", "gemini", "Help pages are in British English: colour, not color", {}),
    (6, 11, "shop", "laptop", "claude", "The bank answers within 8 s or not at all", {"category": "gotcha"}),
    (5, 15, "shop", "laptop", "claude", "the staging database answers on 5434 since the move",
     {"key": "port"}),
    (5, 17, "site", "laptop", "claude", "The newsletter form posts to /subscribe, which limits by address",
     {"category": "gotcha"}),
    (4, 10, "shop", "desktop", "codex", "Payments are retried three times, ten seconds apart",
     {"category": "decision"}),
    (3, 14, "global", "laptop", "claude", "Never push to main; open a pull request", {"pin": True}),
    (2, 9, "shop", "build", "codex", "CI caches `node_modules` by the lock file", {}),
    (1, 16, "shop", "laptop", "claude", "Baskets are kept for 30 days, then `sweep.py` deletes them", {}),
    (0, 11, "shop", "laptop", "claude", "The sandbox of the bank rejects amounts below 1 €",
     {"category": "gotcha"}),
)  # fmt: skip

RELEASE = """\
---
description: How a release is made, from tag to shop window
tags: [release, ci]
created: 2026-11-02
---
# Release

1. Wait until `main` is green.
2. Tag it:

```sh
git tag -s v2026.48
git push origin v2026.48
```

3. Watch the build box; it needs **eleven minutes**.

## When it fails

- A red picture step: run it again, the converter runs out of memory now and then.
  - twice red: look at `build/pictures.log`
- Anything else: roll back, then ask.
"""

ARCHITECTURE = """\
---
description: What the shop is made of
tags: [architecture]
created: 2026-11-04
---
# The shop

| part | where | talks to |
|---|---|---|
| basket | `src/basket` | Valkey |
| payment | `src/pay` | the bank, Postgres |
| pictures | `build/` | nobody |

## Basket

- A basket is a hash in Valkey, one field an article.
- [x] prices are looked up when it is shown
- [ ] say so when a price has changed since

## Payment

- One table, `payment`, append-only. An amount is cents as an integer.
- A retry has the key of the first try, so that the bank can tell.
"""

SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
PORT = "- port: the staging database answers on 543"


def invent(root: Path) -> Machine:
    """Make it in a home below `root`, and return the machine at which one looks."""
    machine = make_machine(root, "ada")
    places = machine.places
    places.state.mkdir(parents=True)
    places.host_file.write_text(f"{HOSTS['laptop']}\n")
    init(places, machine.env, InitRequest(), sys.executable, _at(27, 9))
    make_checkout(machine.home / "site", "https://git.example.org/ada/site.git")
    memories = {name: _at_host(machine, host) for name, host in HOSTS.items()}
    memory = _at_host(machine, HOSTS["laptop"])
    projects = {name: find_project(memory, machine.home / name, machine.env) for name in ("shop", "site")}
    quicker = RELEASE.replace("eleven", "nine")
    notes: dict[int, tuple[str, str]] = {
        24: ("shop/topics/release.md", RELEASE),
        22: ("shop/architecture.md", ARCHITECTURE),
        8: ("shop/topics/release.md", quicker.replace("now and then", "often")),
        6: ("shop/topics/old-gateway.md", "# The old gateway\n\n- Its certificate ends in June\n"),
        2: ("shop/topics/release.md", f"{quicker}- It hangs: `make unlock`.\n"),
        1: ("shop/topics/old-gateway.md", ""),
    }
    for number, (back, hour, scope, host, agent, fact, more) in enumerate(FACTS):
        when = _at(back, hour)
        for day in sorted((day for day in notes if day >= back), reverse=True):
            path, text = notes.pop(day)
            machine.write(path, text)
            if not text:
                (machine.clone / path).unlink()
            commit(memory, _at(day, 12))
        session = f"{number * 7919 + 40_961:08x}-5c1e-4f7a-9d3b-{number:012x}"
        origin = Origin(HOSTS[host], session, agent, scope)
        where = {"scope": "global"} if scope == "global" else {}
        options: dict[str, Any] = {"pin": False, **more, **where}
        said = Fact(fact, **options)
        remember(memories[host], said, projects.get(scope), origin, when)
        commit(memories[host], when)
    _tape(machine, memory)
    _apart(machine)
    commit(memory, _at(1, 18))
    for host, agent, text in (
        ("build", "codex", "Pictures are converted by four workers, not eight: the box swaps"),
        ("desktop", "gemini", "The help pages want a search; lunr.js is small enough"),
    ):
        origin = Origin(HOSTS[host], "5d2e77aa", agent)
        propose(memories[host], Fact(text), projects["shop"], origin, _at(1, 12))
    machine.write("shop/topics/access.md", f"# Access\n\n- The bank's key is {SECRET}\n")
    complete(memory, commit(memory, _at(0, 14)).head)
    _usage(machine, memory)
    return machine


def _at_host(machine: Machine, host: str) -> Memory:
    """The memory as the machine of this name has it open."""
    places = machine.places
    places.host_file.write_text(f"{host}\n")
    memory = machine.open()
    assert memory.host == host
    return memory


def _at(back: int, hour: int) -> datetime:
    return NOW.replace(hour=hour, minute=(back * 17 + hour * 7) % 60) - timedelta(days=back)


ANCHORS: tuple[tuple[int, int, str, str, str, Type, str, str], ...] = (
    (26, 17, "shop", "laptop", "claude", "session", "valkey/started", "The tests pass with Valkey on 6390"),
    (
        21,
        18,
        "shop",
        "laptop",
        "claude",
        "handoff",
        "staging moved",
        "Staging is on 5433; the import is next",
    ),
    (
        18,
        16,
        "shop",
        "build",
        "codex",
        "session",
        "pictures/measured",
        "Eleven minutes, nine of them pictures",
    ),
    (16, 10, "shop", "desktop", "claude", "session", "rollback/decided", "Last green tag"),
    (13, 14, "site", "laptop", "claude", "handoff", "returns page", "Draft stands; pictures are missing"),
    (9, 17, "shop", "build", "codex", "handoff", "price import", "Runs with a timeout of 600 s"),
    (6, 12, "shop", "laptop", "claude", "session", "bank/asked", "8 s or not at all, by phone"),
    (5, 18, "site", "laptop", "claude", "session", "newsletter/limits", "429 after the fifth request"),
    (4, 11, "shop", "desktop", "codex", "handoff", "retries", "Three tries are in; late answers are next"),
    (1, 17, "shop", "laptop", "claude", "session", "sweep/dry-run", "1,204 baskets would go"),
    (
        0,
        12,
        "shop",
        "laptop",
        "claude",
        "handoff",
        "payments survive",
        "Ask the bank about amounts below 1 €",
    ),
)


def _tape(machine: Machine, memory: Memory) -> None:
    files: dict[str, list[str]] = {}
    for number, (back, hour, scope, host, agent, kind, name, summary) in enumerate(ANCHORS):
        stamp = _at(back, hour).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        anchor = Anchor(
            f"{number:08x}aa", stamp, name, kind, f"s{number}", f"e{number}", {"summary": summary},
            HOSTS[host], agent=agent,
        )  # fmt: skip
        path = f"{tapes_of(scope)}/{HOSTS[host]}-202611.jsonl"
        files.setdefault(path, []).append(to_line(anchor))
    for path, lines in files.items():
        machine.write(path, "\n".join(lines) + "\n")


def _apart(machine: Machine) -> None:
    for copy in (
        ConflictCopy("shop/MEMORY.md", f"{PORT}3\n", f"{PORT}4 since the move\n", f"{PORT}5, by TLS only\n"),
        ConflictCopy(
            "site/topics/style.md",
            "- Headings in sentence case\n",
            "- Headings in sentence case, without a full stop\n- Numbers up to twelve as words\n",
            "- Headings In Title Case\n- Numbers up to twelve as words\n",
        ),
    ):
        path, data = copy_as_file(copy)
        machine.write(path, data.decode())


def _usage(machine: Machine, memory: Memory) -> None:
    entries = [e.entry for e in memory.cache.entries(["global", "shop", "site"])]
    with UsageStore.writing(memory.state.usage) as store:
        for number, entry in enumerate(entries):
            for session in range((number * 5 + 3) % 14):
                at = _at(session * 2, 10).timestamp()
                name = f"claude s{session}"
                store.note("delivered", name, entry.id, entry.path, at)
                if (session + number) % 3 == 0:
                    store.note("opened", name, entry.id, entry.path, at)
                if (session * number) % 4 == 1:
                    store.note("used", name, entry.id, entry.path, at)
    with memory.state.traces.open("a") as file:
        for number, trace in enumerate(_traces([e.id for e in entries], [e.at for e in entries])):
            file.write(json.dumps({"id": f"{number:06x}", "agent": "claude", **trace}) + "\n")
    os.chmod(memory.state.traces, 0o600)


def _traces(ids: list[str], places: list[str]) -> Iterator[dict[str, object]]:
    for back in range(27, -1, -1):
        for prompt in range((back * 7 + 5) % 11 + (0 if _at(back, 9).weekday() > 4 else 3)):
            count = (back + prompt * 3) % 4
            given = [[ids[(back + n) % len(ids)], places[(back + n) % len(ids)], 1.0] for n in range(count)]
            at = _at(back, 9).timestamp() + prompt * 900
            yield {"at": at, "session": "", "prompt": "?", "given": given}
