"""`python -m live.pi_md_tokens --sources FOLDER`, with tests/ on the path: memory's tokens in sessions of pi.

The same dialogue over the same memory without memory, with pi-memory-md's own code as it delivers, and with
ctxrepo in each of its ways. A table in markdown says what memory added to the requests, and how much of each
request a provider's cache of prompts could use in the next one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from machines import make_remote

from live import alone, install, pi, pi_md_package, pi_talk
from live.model import Model
from live.pi_md_package import Package
from live.recorded import Prompt
from live.scenarios import YEAR
from live.stage import Stage
from live.steps import Step, Text
from live.tokens import LETTERS


@dataclass(frozen=True)
class Way:
    """`keys` are of config.toml, `section` is of pi-memory-md's settings in pi; `who` is played."""

    title: str
    who: str = "ours"
    keys: tuple[tuple[str, str], ...] = ()
    section: dict[str, object] = field(default_factory=dict)


WAYS = (
    Way("no memory", "nobody"),
    Way("pi-memory-md, `message-append`", "its"),
    Way("pi-memory-md, `system-prompt`", "its", section={"delivery": "system-prompt"}),
    Way("pi-memory-md, `message-append`, tape on", "its", section={"tape": {"enabled": True}}),
    Way("pi-memory-md, `system-prompt`, tape on", "its", section={"delivery": "system-prompt", "tape": {}}),
    Way("ctxrepo, `delta`"),
    Way("ctxrepo, `once`", keys=(("delivery.mode", "once"),)),
    Way("ctxrepo, `system`", keys=(("delivery.mode", "system"),)),
    Way("ctxrepo, `turn`", keys=(("delivery.mode", "turn"),)),
    Way("ctxrepo, preset `md`, `once`", keys=(("delivery.preset", "md"), ("delivery.mode", "once"))),
)


@dataclass(frozen=True)
class Cost:
    """Characters that memory added to a conversation, over what it has without."""

    standing: int
    """To the system prompt and the tools of the first request."""
    first: int
    """To all of the first request."""
    last: int
    whole: int
    """To all requests together."""
    fresh: int
    """To what of all requests stands behind the part that the one before had too."""
    kept: float
    """The least share of a request that the next one begins with."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m live.pi_md_tokens", description=__doc__)
    parser.add_argument(
        "--sources", type=Path, required=True, help="a folder with the sources of pi-memory-md"
    )
    parser.add_argument("--keep", type=Path, help="leave everything in this folder, to look at")
    options = parser.parse_args()
    installed = install.install(pi.NAME, pi.PACKAGE, install.root())
    package = pi_md_package.bring(options.sources, install.root())
    alone.go_inside(["-m", "live.pi_md_tokens", *sys.argv[1:]])
    root = options.keep or Path(tempfile.mkdtemp(prefix="ctxrepo-tokens-"))
    played = [_play(root / str(number), way, installed, package) for number, way in enumerate(WAYS)]
    bare = played[0]
    print(table([(way, cost(prompts, bare)) for way, prompts in zip(WAYS, played, strict=True)], len(bare)))
    print(f"\nWithout memory the last request has {len(spell(bare)[-1]) // LETTERS} tokens.")
    if not options.keep:
        shutil.rmtree(root, ignore_errors=True)
    return 0


def _play(root: Path, way: Way, installed: install.Installed, package: Package) -> list[Prompt]:
    """The requests of the dialogue."""
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    with Model(pi.API, root / "requests.jsonl") as model:
        here = memory_of_a_year(root, model, installed, **way.section)
        for key, value in way.keys:
            here.ctxrepo("config", "set", key, value)
        if way.who == "ours":
            here.ctxrepo("setup", pi.NAME, "--yes")
        more = pi_md_package.words(package) if way.who == "its" else []
        try:
            talk = pi_talk.Talk(here, [*pi.command_line(here), *more], pi.ENV)
            for prompt, steps in dialogue(here):
                model.will(*steps)
                talk.say(prompt)
            talk.end()
            here.wait_for_silence()
        finally:
            here.end_all()
        return [request.prompt for request in model.conversation()]


def memory_of_a_year(root: Path, model: Model, installed: install.Installed, **section: object) -> Stage:
    """A machine whose memory has a project's notes of a year where both programs list them: below core/."""
    here = pi_md_package.place(root, make_remote(root), model, installed)
    pi_md_package.settings(here, **section)
    here.ctxrepo("init")
    project = here.memory / here.project.name
    shutil.copytree(YEAR / "clinicdesk", project / "core" / "project")
    os.replace(project / "core" / "project" / "MEMORY.md", project / "MEMORY.md")
    shutil.copytree(YEAR / "global", here.memory / "global", dirs_exist_ok=True)
    here.ctxrepo("sync")
    here.wait_for_silence()
    return here


def dialogue(here: Stage) -> list[tuple[str, list[Step]]]:
    """Eight prompts; to three of them the model answers by tools first, once in the memory itself."""
    note = here.memory / here.project.name / "core" / "project" / "pi-tokens.md"
    head = "---\ndescription: The newsletter\ntags: [mail]\n---\n\n"
    readme = here.project / "README.md"
    answer = Text("Done.")
    return [
        ("Lab-Sud result files come out with garbage accents since i rewrote the parser", [answer]),
        ("ok thanks", [answer]),
        (
            "read the readme, then add an SPF include for the newsletter tool in deploy/dns",
            [pi.read(readme), answer],
        ),
        ("what did we change in march about sms retries after people got them twice", [answer]),
        (
            "write down that the newsletter goes out on mondays",
            [pi.write(note, f"{head}- on mondays\n"), answer],
        ),
        (
            "the migration job failed on staging with P3009, unblock it",
            [pi.shell("true"), pi.read(readme), answer],
        ),
        ("rename the variable to count", [answer]),
        ("which day does the newsletter go out", [answer]),
    ]


def cost(prompts: Sequence[Prompt], bare: Sequence[Prompt]) -> Cost:
    """What these requests cost more than those of the same dialogue without memory."""
    requests, without = spell(prompts), spell(bare)
    kept = [_shared(before, after) / len(before) for before, after in pairwise(requests)]
    return Cost(
        sum(len(prompt.tools) + len(prompt.system) for prompt in prompts[:1])
        - len(bare[0].tools)
        - len(bare[0].system),
        len(requests[0]) - len(without[0]),
        len(requests[-1]) - len(without[-1]),
        sum(map(len, requests)) - sum(map(len, without)),
        fresh(requests) - fresh(without),
        min(kept, default=1.0),
    )


def spell(prompts: Sequence[Prompt]) -> list[str]:
    """Each request as the model reads it, in the order in which a provider's cache knows its beginning."""
    return ["\n".join([prompt.tools, prompt.system, *prompt.messages]) for prompt in prompts]


def fresh(requests: Sequence[str]) -> int:
    """Characters that the request before didn't begin with."""
    behind = [len(after) - _shared(before, after) for before, after in pairwise(requests)]
    return len(requests[0]) + sum(behind)


def table(rows: Sequence[tuple[Way, Cost]], count: int) -> str:
    """The costs as a table in markdown, in tokens."""
    head = ("way", "tools and system prompt", "first request", "last request", f"all {count} requests")
    lines = ["| " + " | ".join([*head, "of it new to a cache", "prefix kept, at least"]) + " |"]
    lines.append("|---|" + "---:|" * 6)
    for way, price in rows:
        cells = [price.standing, price.first, price.last, price.whole, price.fresh]
        tokens = [str(round(characters / LETTERS)) for characters in cells]
        lines.append("| " + " | ".join([way.title, *tokens, f"{price.kept:.1%}"]) + " |")
    return "\n".join(lines)


def _shared(before: str, after: str) -> int:
    """How many characters both begin with."""
    if after.startswith(before):
        return len(before)
    return next(
        at for at, (sign, other) in enumerate(zip(before, f"{after}\0", strict=False)) if sign != other
    )


if __name__ == "__main__":
    sys.exit(main())
