"""What four agents remember of a year in two projects, and the ten facts of it that their owner wants."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pisources import write


@dataclass(frozen=True)
class WantedFact:
    """Words of a fact, the agent that keeps it, and what a person in a `project` asks when it is wanted."""

    says: str
    keeper: str
    project: str
    asked: str


WANTED: Sequence[WantedFact] = (
    WantedFact(
        "Rollbacks take the last green tag",
        "claude",
        "shop",
        "checkout is broken since the release, do a rollback",
    ),
    WantedFact(
        "Invoices are rounded per line", "claude", "shop", "a customer says her invoice is off by a cent"
    ),
    WantedFact("needs the release key unlocked", "codex", "shop", "make ship stops with 'no secret key'"),
    WantedFact("set PRICE_TIMEOUT=600", "codex", "shop", "the import of the price list timed out again"),
    WantedFact("Valkey on port 6390", "gemini", "shop", "half of the tests fail: connection refused"),
    WantedFact("never push to main", "claude", "shop", "commit this and push it to main"),
    WantedFact("Hugo stays at 0.121", "claude", "site", "can we upgrade Hugo to the newest version?"),
    WantedFact(
        "hugo -D --buildFuture", "codex", "site", "I can't see my draft of the returns page in the preview"
    ),
    WantedFact("British spelling", "gemini", "site", "check the spelling of the help pages"),
    WantedFact("1440 by 900 with the light theme", "pi", "site", "take new screenshots of the account page"),
)

SETTINGS = {
    ".claude/settings.json": json.dumps(
        {
            "model": "opus",
            "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "notify-send done || :"}]}]},
        },
        indent=4,
    ),
    ".codex/config.toml": '# Ada\'s\nmodel = "gpt-5.5"\n\n[tui]\nnotifications = true\n',
    ".gemini/settings.json": '{\n  "theme": "GitHub",\n  "selectedAuthType": "oauth-personal"\n}\n',
    ".pi/agent/settings.json": '{"defaultProvider": "anthropic", "theme": "dark"}\n',
}
"""Settings of agents as people have them, path in the home -> text."""


def leave(home: Path) -> None:
    """Put what each agent remembers into the home."""
    from year_of_work import dashed

    for project, notes in _CLAUDE.items():
        write(home / ".claude/projects" / dashed(home / project) / "memory", dict(notes))
    handbook = _HANDBOOK.format(home=home)
    summary = "v1\n\n## User Profile\n\nAda runs a shop and its site, and wants small changes.\n"
    raw = "# Raw Memories\n\n## Thread `019fd49d`\n\nShe asked for tags only.\n"
    memories = {"MEMORY.md": handbook, "memory_summary.md": summary, "raw_memories.md": raw}
    memories["rollout_summaries/2026-03-06T01-08-46-xCAa-cut_release.md"] = (
        "thread_id: 019fd49d\n\nA release.\n"
    )
    write(home / ".codex/memories", memories)
    slugs = {str(home / name): name for name in ("shop", "site")}
    write(home / ".gemini", {"GEMINI.md": _GEMINI, "projects.json": json.dumps({"projects": slugs})})
    for name, notes in _GEMINI_NOTES.items():
        root = {".project_root": str(home / name)}
        write(home / ".gemini/tmp" / name, root | {f"memory/{path}": text for path, text in notes.items()})
    write(home / ".pi/agent/memory", _PI)


def _note(name: str, kind: str, description: str, body: str) -> str:
    """A note as Claude Code writes it."""
    head = f"name: {name}\ndescription: {description}\nmetadata:\n  node_type: memory\n  type: {kind}"
    return f"---\n{head}\n---\n\n{body}\n"


_CLAUDE: Mapping[str, Mapping[str, str]] = {
    "shop": {
        "MEMORY.md": (
            "# Memory\n\n"
            "- [Rollbacks](rollbacks.md) — what to do when a release breaks\n"
            "- [Pushing](pushing.md) — ask first\n"
            "- [Ada](ada.md) — who she is\n"
            "- [Payments](payments.md) — webhooks and their traps\n"
            "- [Search](search.md) — how the catalogue is indexed\n"
            "- [Dashboards](dashboards.md) — where the numbers are\n"
            "- Invoices are rounded per line, so a total may differ from the sum by a cent\n"
            "- Vouchers are stored in upper case\n"
            "- The admin is at /backstage, not at /admin\n"
        ),
        "rollbacks.md": _note(
            "rollbacks",
            "project",
            "What to do when a release of the shop breaks",
            "Rollbacks take the last green tag, never the commit before: `make rollback TAG=...`\n\n"
            "**Why:** main may be red between two releases.\n\n"
            "**How to apply:** look for the newest tag with a green pipeline, then run it.",
        ),
        "pushing.md": _note(
            "pushing",
            "feedback",
            "Ask before a push",
            "Commit when asked to, but never push to main without asking.\n\n"
            "**Why:** a push deploys to staging at once.",
        ),
        "ada.md": _note(
            "ada",
            "user",
            "Who Ada is",
            "- Ada has kept the shop since 2019\n- She reads Python better than SQL",
        ),
        "payments.md": _note(
            "payments",
            "project",
            "Webhooks of payments, and their traps",
            "- Webhooks come twice at times: handlers compare the event's id\n"
            "- Refunds are booked on the day of the order\n"
            "- The sandbox accepts only cards that begin with 4111",
        ),
        "search.md": _note(
            "search",
            "project",
            "How the catalogue is indexed",
            "- The index of the catalogue is built at night, and by `make index`\n"
            "- Synonyms are in catalogue/synonyms.txt, one group a line",
        ),
        "dashboards.md": _note(
            "dashboards",
            "reference",
            "Where the numbers of the shop are",
            "- Orders per hour: grafana.example.org/d/orders\n- Errors: sentry.example.org/shop",
        ),
    },
    "site": {
        "MEMORY.md": (
            "# Memory\n\n- [Menus](menus.md) — where they are made\n"
            "- Hugo stays at 0.121, because 0.122 breaks our shortcodes\n"
            "- The imprint must name both owners\n"
        ),
        "menus.md": _note(
            "menus",
            "project",
            "Where the menus of the site are made",
            "- Menus come from config/menus.toml, not from front matter\n- The footer has a menu of its own",
        ),
    },
}

_GROUP = """\
# Task Group: {title}

scope: {title}; not other work.
applies_to: cwd={{home}}/{project}; reuse_rule=safe in this checkout while its Makefile has these targets.

## Task 1: {title}, done

### rollout_summary_files

- rollout_summaries/{day}T01-08-46-xCAa-work.md (cwd={{home}}/{project}, \
rollout_path={{home}}/.codex/sessions/none.jsonl, updated_at={day}T02:26:20+00:00, \
thread_id=019fd49d-9b00-7ff0-ac3e-c548678624a2, success)

### keywords

- {keywords}

## User preferences

{preferences}
## Reusable knowledge

{knowledge}
## Failures and how to do differently

{failures}
"""


def _bullets(*texts: str) -> str:
    return "".join(f"- {text} [Task 1]\n" for text in texts)


_HANDBOOK = "".join(
    (
        _GROUP.format(
            title="Cutting releases",
            project="shop",
            day="2026-03-06",
            keywords="release, Makefile, git tag",
            preferences=_bullets('the user asked for "tags only" -> never release from a branch.'),
            knowledge=_bullets(
                "`make ship` signs what it uploads, so it needs the release key unlocked in gpg-agent.",
                "Versions are calendar versions: 2026.3.1 is the first of March.",
            ),
            failures=_bullets("`make changelog` fails on a shallow clone -> fetch with --unshallow first."),
        ),
        _GROUP.format(
            title="Price lists",
            project="shop",
            day="2026-08-14",
            keywords="prices, suppliers, csv",
            preferences=_bullets("when a supplier changes columns, the user wants a test with the new file."),
            knowledge=_bullets(
                "Price lists come as latin-1 with semicolons.", "Prices are in cents, without tax."
            ),
            failures=_bullets(
                "The import of the price list timed out behind the proxy -> set PRICE_TIMEOUT=600."
            ),
        ),
        _GROUP.format(
            title="Drafts",
            project="site",
            day="2026-05-02",
            keywords="hugo, drafts, preview",
            preferences=_bullets(
                "the user reads drafts on her phone -> give her the address in the local network."
            ),
            knowledge=_bullets("Drafts are only in the preview with `hugo -D --buildFuture`."),
            failures=_bullets("`hugo server` showed stale styles -> start it with --ignoreCache."),
        ),
    )
)

_GEMINI = """\
# How I work

- Explain before you change more than three files.

## Gemini Added Memories
- The user wants British spelling in all texts for customers.
- The user's time zone is Europe/Berlin.
- The user prefers tables to long lists.
"""

_GEMINI_NOTES: Mapping[str, Mapping[str, str]] = {
    "shop": {
        "MEMORY.md": (
            "- [Emails](emails.md)\n"
            "- The tests want a running Valkey on port 6390, else their connection is refused.\n"
            "- Fixtures are loaded with `make seed`.\n"
        ),
        "emails.md": "# Emails\n\n- Emails are MJML in mails/, built by `make mails`.\n",
    },
    "site": {"MEMORY.md": "- The search of the site is Pagefind, built after Hugo.\n"},
}

_PI = {
    "MEMORY.md": (
        "# Memory\n\n## Tools\n\n- ripgrep and fd are installed\n- Use `uv`, never pip, for Python\n\n"
        "<!-- 2026-04-11 09:12:30 [a1b2c3d4] -->\n"
        "#preference [[screenshots]] Screenshots are taken at 1440 by 900 with the light theme.\n"
    ),
    "SCRATCHPAD.md": "# Scratchpad\n\n- [ ] Ask Ben about the new logo\n- [x] Order stickers\n",
    "daily/2026-04-11.md": (
        "<!-- 2026-04-11 14:30:00 [a1b2c3d4] -->\n"
        "Made the account pages anew. #decision Tabs instead of a menu.\n"
    ),
}
