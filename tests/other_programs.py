"""Builders: what memory programs leave on a machine, each in the form that its own source writes.

Where a form is from stands at the top of its reader."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from machines import Machine
from pisources import write


@dataclass(frozen=True)
class Example:
    """A program. `leave` makes what it has after some use and returns where that is, `add` is one more use;
    `words` are those of the command, `brought` what is here then: words by the path of their note. `added` is
    a word of what came later."""

    source: str
    leave: Callable[[Machine], Path]
    add: Callable[[Machine], None]
    brought: Mapping[str, Sequence[str]]
    entries: int
    added: str
    words: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    is_named: bool = False
    """Whether the place has to be named."""


CODEX = """\
# Task Group: shop / releases

scope: Cutting and checking releases of the shop; not its daily work.
applies_to: cwd={project}; reuse_rule=safe in this checkout while its Makefile has these targets.

## Task 1: Cut release 4.2, done

### rollout_summary_files

- rollout_summaries/2026-03-06T01-08-46-xCAa-cut_release.md (cwd={project}, \
rollout_path=/home/ada/.codex/sessions/2026/03/06/rollout-2026-03-06T01-08-46-019f.jsonl, \
updated_at=2026-03-06T02:26:20+00:00, thread_id=019fd49d-9b00-7ff0-ac3e-c548678624a2, success)

### keywords

- release, Makefile, git tag, deploy/ship.mk, gutenberg

## User preferences

- when releasing, the user asked for "tags only" -> never release from a branch. [Task 1]

## Reusable knowledge

- `make ship` builds, signs and uploads; it needs the signing key in the agent. [Task 1]
- The staging machine is called gutenberg. [Task 1][ad-hoc note]

## Failures and how to do differently

- The upload timed out behind the proxy -> set `SHIP_TIMEOUT=600` first. [Task 1]

# Task Group: blog / drafts

scope: Looking at drafts before they are published.
applies_to: cwd=/home/ada/blog; reuse_rule=checkout-specific

## Task 1: Show a draft, done

### rollout_summary_files

- rollout_summaries/2026-02-01T01-08-46-aaaa-draft.md (cwd=/home/ada/blog, rollout_path=none, \
updated_at=2026-02-01T02:26:20+00:00, thread_id=019fd49d-9b00-7ff0-ac3e-c548678624a3)

### keywords

- hugo, drafts

## Reusable knowledge

- Drafts are built with `hugo -D`. [Task 1]
"""


def codex(machine: Machine) -> Path:
    text = CODEX.format(project=machine.project_folder)
    files = {"MEMORY.md": text, "memory_summary.md": "v1\n\n## User Profile\nAda keeps a shop.\n"}
    return write(machine.home / ".codex/memories", files)


def codex_again(machine: Machine) -> None:
    file = machine.home / ".codex/memories/MEMORY.md"
    new = "- Invoices are printed on the second tray. [Task 1]\n"
    file.write_text(file.read_text().replace("## Failures", f"{new}\n## Failures", 1))


GEMINI = """\
# Rules of mine

- Answer briefly.

## Gemini Added Memories
- The user's timezone is Europe/Berlin.
- The user prefers tabs in Makefiles only.

## More rules

- Never push.
"""


def gemini(machine: Machine) -> Path:
    root = machine.home / ".gemini"
    slugs = {str(machine.project_folder): "shop", str(machine.home / "blog"): "blog"}
    write(
        root,
        {
            "GEMINI.md": GEMINI,
            "projects.json": json.dumps({"projects": slugs}),
            "tmp/shop/.project_root": str(machine.project_folder),
            "tmp/shop/memory/MEMORY.md": "- [Build](build.md)\n- The tests want a running Valkey.\n",
            "tmp/shop/memory/build.md": "# Build\n\n- `make -j2`, as more runs out of memory.\n",
            "tmp/shop/memory/skills/ship/SKILL.md": "---\nname: ship\n---\nShip it.\n",
            "tmp/blog/.project_root": str(machine.home / "blog"),
            "tmp/blog/memory/MEMORY.md": "- Drafts have no date.\n",
        },
    )
    return root / "GEMINI.md"


def gemini_again(machine: Machine) -> None:
    file = machine.home / ".gemini/tmp/shop/memory/MEMORY.md"
    file.write_text(file.read_text() + "- Invoices are numbered by year.\n")


def claude_mem(machine: Machine) -> Path:
    file = machine.home / ".claude-mem/claude-mem.db"
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(
            "create table observations (id integer primary key autoincrement, memory_session_id text,"
            " project text not null, text text, type text not null, title text, subtitle text, facts text,"
            " narrative text, concepts text, files_read text, files_modified text, prompt_number integer,"
            " discovery_tokens integer default 0, content_hash text, merged_into_project text,"
            " created_at text not null, created_at_epoch integer not null)"
        )
        db.execute(
            "create table session_summaries (id integer primary key autoincrement, memory_session_id text"
            " not null, project text not null, request text, investigated text, learned text, completed text,"
            " next_steps text, notes text, merged_into_project text, created_at text not null,"
            " created_at_epoch integer not null)"
        )
        db.execute(
            "insert into session_summaries (memory_session_id, project, request, learned, next_steps,"
            " created_at, created_at_epoch) values ('s1', 'shop', 'Make the cart faster', 'Its query had no"
            " index', 'Measure it again', '2026-04-02T10:00:00.000Z', 1775124000000)"
        )
    for row in (
        ("shop", "decision", "Sessions are kept in Valkey", '["Cookies were too large"]', '["trade-off"]'),
        ("shop/worktree-a", "bugfix", "Rounding of taxes is mended", '["It rounded twice"]', '["gotcha"]'),
        ("blog", "decision", "Posts have no comments", "[]", "[]"),
        ("shop", "discovery", "The cart is in cart.py", "[]", "[]"),
    ):
        observe(machine, *row)
    return file


def observe(machine: Machine, project: str, kind: str, title: str, facts: str, concepts: str) -> None:
    with closing(sqlite3.connect(machine.home / ".claude-mem/claude-mem.db")) as db, db:
        db.execute(
            "insert into observations (memory_session_id, project, type, title, facts, narrative, concepts,"
            " created_at, created_at_epoch) values ('s1', ?, ?, ?, ?, 'A long story.', ?,"
            " '2026-04-02T09:00:00.000Z', 1775120400000)",
            (project, kind, title, facts, concepts),
        )


def engram(machine: Machine) -> Path:
    file = machine.home / ".engram/engram.db"
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(
            "create table sessions (id text primary key, project text, directory text, started_at text)"
        )
        db.execute(
            "create table observations (id integer primary key autoincrement, sync_id text, session_id text,"
            " type text, title text, content text, tool_name text, project text, scope text, topic_key text,"
            " created_at text, updated_at text, deleted_at text)"
        )
        db.execute("insert into sessions values ('a', 'shop', ?, '')", (str(machine.project_folder),))
        db.execute("insert into sessions values ('b', 'blog', '/home/ada/blog', '')")
    for row in (
        ("a", "decision", "Use Valkey", "**What**: sessions in Valkey\n**Why**: cookies", "project", None),
        ("a", "preference", "Short answers", "The user wants short answers", "personal", None),
        ("b", "pattern", "Front matter", "Every post has a date", "project", None),
        ("a", "session_summary", "Session", "Did this and that", "project", None),
        ("a", "decision", "Use Redis", "Was taken back", "project", "2026-05-01 10:00:00"),
    ):
        save(machine, *row)
    return file


def save(
    machine: Machine, session: str, kind: str, title: str, text: str, scope: str, gone: str | None
) -> None:
    with closing(sqlite3.connect(machine.home / ".engram/engram.db")) as db, db:
        db.execute(
            "insert into observations (session_id, type, title, content, project, scope, topic_key,"
            " created_at, updated_at, deleted_at) values (?, ?, ?, ?, 'shop', ?, 'store',"
            " '2026-01-02 10:00:00', '2026-01-03 10:00:00', ?)",
            (session, kind, title, text, scope, gone),
        )


def basic_memory(machine: Machine) -> Path:
    vault = write(
        machine.home / "vault",
        {
            "specs/API Design.md": "---\ntitle: API Design\ntype: note\ntags: [api]\n"
            "permalink: specs/api-design\n---\n\n"
            "# API Design\n\n## Observations\n- [decision] REST and not GraphQL #api (the team, in March)\n\n"
            "## Relations\n- implements [[API Specification]]\n",
            "Coffee.md": "---\ntitle: Coffee\n---\n\n- [method] Filter, never a press\n",
        },
    )
    write(machine.home / "shop-vault", {"Cart.md": "---\ntitle: Cart\n---\n\n- [risk] It has no limit\n"})
    write(machine.home / "research", {"Paper.md": "- [idea] None\n"})
    folders = {"main": str(vault), "shop": {"path": str(machine.home / "shop-vault"), "mode": "local"}}
    folders["research"] = str(machine.home / "research")
    write(machine.home / ".basic-memory", {"config.json": json.dumps({"projects": folders})})
    return vault


def basic_memory_again(machine: Machine) -> None:
    file = machine.home / "shop-vault/Cart.md"
    file.write_text(file.read_text() + "- [risk] Invoices may be lost\n")


def agent_memory_git(machine: Machine) -> Path:
    data = machine.home / "agent-memory-data"

    def memory(name: str, text: str, scope: str, remote: str = "", more: str = "") -> str:
        where = f"  git_remote: {remote}\n" if remote else ""
        return (
            f"---\nid: 20260908-{name}\nname: {name}\ntype: project\nscope: {scope}\ndescription: About it\n"
            f"created: 2026-09-08T14:10:00+08:00\n{more}source:\n  tool: codex\n  host: laptop\n"
            f"  cwd: /home/ada/gone\n{where}---\n{text}\n"
        )

    write(
        data / "memories/office/2026/09",
        {
            "20260908-checkout-lgmx.md": memory(
                "checkout-lgmx", "Checkout uses the payment element.", "here", "git.example.org/ada/shop"
            ),
            "20260909-language-aaaa.md": memory("language-aaaa", "Ada writes English.", "global"),
            "20260910-blog-bbbb.md": memory(
                "blog-bbbb", "Posts are dated.", "here", "git.example.org/ada/blog"
            ),
            "20260911-old-cccc.md": memory("old-cccc", "Checkout uses charges.", "global"),
            "20260912-new-dddd.md": memory(
                "new-dddd", "Charges are dead.", "global", more="supersedes: [20260908-old-cccc]\n"
            ),
        },
    )
    config = {"profile": "office", "profiles": {"office": {"data_dir": str(data)}}}
    write(machine.home / ".config/agent-memory", {"config.json": json.dumps(config)})
    return data


def agent_memory_git_again(machine: Machine) -> None:
    file = machine.home / "agent-memory-data/memories/office/2026/09/20260909-language-aaaa.md"
    file.write_text(file.read_text() + "\nInvoices are in German.\n")


def memory_server(machine: Machine) -> Path:
    lines: list[dict[str, object]] = [
        {
            "type": "entity",
            "name": "Ada",
            "entityType": "person",
            "observations": ["Speaks German", "Has a shop"],
        },
        {"type": "entity", "name": "Shop", "entityType": "organisation", "observations": []},
        {"type": "relation", "from": "Ada", "to": "Shop", "relationType": "owns"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return (
        write(machine.home / "mcp", {"memory.jsonl": text + '{"type":"entity","name":"To'}) / "memory.jsonl"
    )


def memory_server_again(machine: Machine) -> None:
    file = machine.home / "mcp/memory.jsonl"
    file.write_text(file.read_text().replace('"Has a shop"', '"Has a shop", "Writes invoices"'))


def mem0(machine: Machine) -> Path:
    results = [
        {
            "id": "mem-1",
            "memory": "Likes filter coffee",
            "hash": "h1",
            "metadata": {"a": 1},
            "user_id": "ada",
            "categories": ["food and drink"],
            "created_at": "2026-01-01T00:00:00-07:00",
            "updated_at": None,
        },
        {"id": "mem-2", "memory": "Works at the shop", "user_id": "ada", "agent_id": "bot"},
    ]
    text = json.dumps({"results": results, "relations": [{"source": "ada"}]}, indent=2)
    return write(machine.home / "exports", {"mem0.json": text}) / "mem0.json"


def mem0_again(machine: Machine) -> None:
    file = machine.home / "exports/mem0.json"
    whole = json.loads(file.read_text())
    whole["results"].append({"id": "mem-3", "memory": "Writes invoices on Fridays", "user_id": "ada"})
    file.write_text(json.dumps(whole))


CHATGPT = """\
# Model Set Context

1. [2026-02-03]. User keeps a shop for printed maps.

2. [2026-05-02]. User prefers metric units.

Is learning Portuguese
"""


def chatgpt(machine: Machine) -> Path:
    return write(machine.home / "exports", {"chatgpt.txt": CHATGPT}) / "chatgpt.txt"


def chatgpt_again(machine: Machine) -> None:
    file = machine.home / "exports/chatgpt.txt"
    file.write_text(f"{CHATGPT}3. [2026-06-02]. User writes invoices.\n")


def beads(machine: Machine) -> Path:
    lines: list[dict[str, object]] = [
        {"_type": "issue", "id": "shop-a1", "title": "Fix the cart", "status": "open", "priority": 1},
        {"_type": "memory", "key": "auth-jwt", "value": "The auth module uses tokens and no sessions"},
        {"_type": "memory", "key": "always-run-tests", "value": "Always run tests with the race flag"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return write(machine.project_folder / ".beads", {"issues.jsonl": text}) / "issues.jsonl"


def beads_again(machine: Machine) -> None:
    file = machine.project_folder / ".beads/issues.jsonl"
    line = {"_type": "memory", "key": "invoices", "value": "They are printed at night"}
    file.write_text(file.read_text() + json.dumps(line) + "\n")


def memory_bank(machine: Machine) -> Path:
    return write(
        machine.project_folder / "memory-bank",
        {
            "projectbrief.md": "# Project Brief\n\nA shop for printed maps.\n",
            "activeContext.md": "# Active Context\n\n## Current Focus\n- The cart\n",
            "techContext.md": "# Tech Context\n\n- Python 3.12\n- Valkey\n",
        },
    )


def memory_bank_again(machine: Machine) -> None:
    file = machine.project_folder / "memory-bank/techContext.md"
    file.write_text(file.read_text() + "- Invoices by LaTeX\n")


def letta(machine: Machine) -> Path:
    root = machine.home / ".letta/agents"
    write(
        root / "agent-1f2e/memory",
        {
            "system/human.md": "---\ndescription: About the user\nlimit: 5000\n---\n\n- Ada prints maps.\n",
            "system/persona.md": "---\ndescription: Who I am\n---\n\nI am helpful.\n",
            "system/project/tooling.md": "---\ndescription: Tools\n---\n\n- It uses bun.\n",
            "reference/printers.md": "---\ndescription: Printers\n---\n\n- Gutenberg prints A3.\n",
            "skills/ship/SKILL.md": "---\nname: ship\ndescription: Ship\n---\nShip it.\n",
        },
    )
    return root


def letta_again(machine: Machine) -> None:
    file = machine.home / ".letta/agents/agent-1f2e/memory/reference/printers.md"
    file.write_text(file.read_text() + "- Invoices go to the small one.\n")


def markdown(machine: Machine) -> Path:
    files = {
        "ideas/maps.md": "# Maps\n\n- Fold them\n",
        "todo.txt": "no note\n",
        "Plain.md": "Nothing but text.\n",
    }
    return write(machine.home / "notes", files)


def markdown_again(machine: Machine) -> None:
    file = machine.home / "notes/ideas/maps.md"
    file.write_text(file.read_text() + "- Invoices on their back\n")


def jsonl(machine: Machine) -> Path:
    lines: list[dict[str, object]] = [
        {
            "text": "Maps are A2",
            "category": "decision",
            "tags": ["print"],
            "created": "2025-12-01",
            "project": "shop",
        },
        {"content": "Ada likes blue", "type": "preference", "key": "colour", "timestamp": 1764547200},
        {"note": "without a text"},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    return write(machine.home / "exports", {"facts.jsonl": text}) / "facts.jsonl"


def jsonl_again(machine: Machine) -> None:
    file = machine.home / "exports/facts.jsonl"
    file.write_text(file.read_text() + json.dumps({"text": "Invoices are A4"}) + "\n")


EXAMPLES = [
    Example(
        "codex-memory",
        codex,
        codex_again,
        {
            "shop/topics/preference.md": [
                "- [preference] when releasing",
                "never release from a branch. #release",
            ],
            "shop/topics/fact.md": [
                "`make ship`",
                "- [fact] The staging machine is called gutenberg. #release",
            ],
            "shop/topics/gotcha.md": ["SHIP_TIMEOUT=600", "updated: 2026-03-06"],
        },
        4,
        "second tray",
        told=("1 entry of project /home/ada/blog: run it again in a checkout of it",),
    ),
    Example(
        "gemini-memory",
        gemini,
        gemini_again,
        {
            "global/topics/fact.md": ["- [fact] The user's timezone", "- [fact] The user prefers tabs"],
            "shop/MEMORY.md": ["- The tests want a running Valkey."],
            "shop/topics/build.md": ["`make -j2`"],
        },
        4,
        "numbered by year",
        told=(
            "instructions, which it reads by itself",
            "drafts of skills",
            "run it again in a checkout of it",
        ),
    ),
    Example(
        "claude-mem",
        claude_mem,
        lambda machine: observe(machine, "shop", "decision", "Invoices are printed", "[]", "[]"),
        {
            "shop/topics/decision.md": [
                "- [decision] Sessions are kept in Valkey #trade-off",
                "  - Cookies were",
            ],
            "shop/topics/gotcha.md": ["Rounding of taxes"],
            "shop/topics/session.md": ["Make the cart faster", "  - Next: Measure it again"],
        },
        3,
        "Invoices are printed",
        ("--kind", "decision", "--kind", "bugfix", "--kind", "summary"),
        ("1 record (discovery 1): of kinds that weren't chosen", "1 entry of project blog"),
    ),
    Example(
        "engram",
        engram,
        lambda machine: save(machine, "a", "bugfix", "Invoices", "They were lost", "project", None),
        {
            "shop/topics/decision.md": ["- [decision] Use Valkey #store\n  **What**: sessions in Valkey"],
            "global/topics/preference.md": ["Short answers", "created: 2026-01-03"],
        },
        2,
        "They were lost",
        told=("1 record: deleted there", "1 entry of project /home/ada/blog", "1 record: what a session did"),
    ),
    Example(
        "basic-memory",
        basic_memory,
        basic_memory_again,
        {
            "global/topics/specs/API Design.md": ["- [decision] REST and not GraphQL #api"],
            "global/topics/Coffee.md": ["- [method] Filter"],
            "shop/topics/Cart.md": ["- [risk] It has no limit"],
        },
        4,
        "may be lost",
        told=("1 note of project research: run it again in a checkout of it",),
    ),
    Example(
        "agent-memory-git",
        agent_memory_git,
        agent_memory_git_again,
        {
            "shop/topics/checkout-lgmx.md": ["Checkout uses the payment element.", "git_remote"],
            "global/topics/language-aaaa.md": ["Ada writes English."],
            "global/topics/new-dddd.md": ["Charges are dead."],
        },
        3,
        "in German",
        told=("1 note: of other projects", "1 note: superseded there"),
    ),
    Example(
        "memory-server",
        memory_server,
        memory_server_again,
        {
            "global/topics/fact.md": ["- [fact] Ada — Speaks German #person", "Ada — Has a shop"],
            "global/topics/relation.md": ["- [relation] Ada owns Shop"],
        },
        3,
        "Writes invoices",
        told=("1 line: no JSON object",),
        is_named=True,
    ),
    Example(
        "mem0",
        mem0,
        mem0_again,
        {"global/topics/fact.md": ["Likes filter coffee #food-and-drink", "Works at the shop"]},
        2,
        "on Fridays",
        is_named=True,
    ),
    Example(
        "chatgpt",
        chatgpt,
        chatgpt_again,
        {"global/topics/fact.md": ["- [fact] User keeps a shop", "- [fact] Is learning Portuguese"]},
        3,
        "User writes invoices",
        is_named=True,
    ),
    Example(
        "beads",
        beads,
        beads_again,
        {"shop/topics/fact.md": ["- [fact] auth-jwt: The auth module", "- [fact] Always run tests"]},
        2,
        "printed at night",
        told=("1 issue: work, not memory",),
    ),
    Example(
        "memory-bank",
        memory_bank,
        memory_bank_again,
        {"shop/topics/projectbrief.md": ["A shop for"], "shop/topics/techContext.md": ["- Python 3.12"]},
        4,
        "by LaTeX",
    ),
    Example(
        "letta",
        letta,
        letta_again,
        {
            "global/topics/human.md": ["- Ada prints maps."],
            "global/topics/reference/printers.md": ["Gutenberg"],
        },
        2,
        "to the small one",
        told=("2 notes: about the agent itself", "1 note: of a project: --from and --scope say of which"),
    ),
    Example(
        "markdown",
        markdown,
        markdown_again,
        {"global/ideas/maps.md": ["- Fold them"], "global/Plain.md": ["Nothing but text."]},
        2,
        "on their back",
        told=("todo.txt: no note",),
        is_named=True,
    ),
    Example(
        "jsonl",
        jsonl,
        jsonl_again,
        {
            "shop/topics/decision.md": ["- [decision] Maps are A2 #print", "created: 2025-12-01"],
            "global/topics/preference.md": ["- [preference] colour: Ada likes blue", "updated: 2025-12-01"],
        },
        2,
        "Invoices are A4",
        told=("1 record: empty, or it can't stand as an entry",),
        is_named=True,
    ),
]
