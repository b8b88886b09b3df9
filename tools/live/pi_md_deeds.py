"""What an agent does with the shared memory in one prompt: by pi's own tools, by pi-memory-md's, by ours."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from live import pi
from live.pi_md_checks import TOKEN, anchors, text
from live.pi_md_package import Package
from live.stage import Stage
from live.steps import Step, Tool


@dataclass
class Plan:
    """One prompt of a turn; `token` stands in what is written and in nothing else."""

    here: Stage
    package: Package
    chance: Random
    name: str
    token: str
    offered: frozenset[str] = frozenset()
    """Names of the tools that the session offers."""
    said: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    """Anchors that were left."""
    deleted: set[str] = field(default_factory=set)
    unsaid: set[str] = field(default_factory=set)
    """Tokens of anchors that were deleted."""

    @property
    def project(self) -> Path:
        return self.here.memory / self.here.project.name

    def notes(self) -> list[Path]:
        """The project's notes that both programs list."""
        return sorted((self.project / "core").rglob("*.md"))

    def says(self, words: str) -> str:
        """The words with the token, which from now on must not be lost."""
        self.said.add(self.token)
        return f"{self.token} {words}"


Deed = Callable[[Plan], Sequence[Step]]


def write(plan: Plan) -> Sequence[Step]:
    """A new note, head and all."""
    body = f'---\ndescription: "Plain: of {plan.name} & <more>"\ntags: [a, b]\n---\n\n'
    if plan.chance.random() < 0.5:
        body = f"---\ndescription: Of {plan.name}\ntags:\n  - deep\n---\n\n"
    note = plan.project / "core" / "project" / f"{plan.name}.md"
    return [pi.write(note, f"{body}- {plan.says('was written')}\n")]


def append(plan: Plan) -> Sequence[Step]:
    """A note is written whole once more, with a line behind it."""
    if not (notes := plan.notes()):
        return write(plan)
    note = plan.chance.choice(notes)
    return [pi.read(note), pi.write(note, f"{text(note)}- {plan.says('was appended')}\n")]


def edit(plan: Plan) -> Sequence[Step]:
    """A line that somebody said is edited."""
    if not (place := _line(plan)):
        return append(plan)
    note, line = place
    return [pi.read(note), pi.edit(note, line, f"{line} and {plan.says('too')}")]


def shell(plan: Plan) -> Sequence[Step]:
    """A line is put behind a note by a shell."""
    if not (notes := plan.notes()):
        return write(plan)
    line = f"- {plan.says('came by a shell')}\n"
    return [pi.shell(f"printf -- %s {shlex.quote(line)} >> {shlex.quote(str(plan.chance.choice(notes)))}")]


def everywhere(plan: Plan) -> Sequence[Step]:
    """A note of the user's, for all projects."""
    note = plan.here.memory / "global" / "shared.md"
    before = text(note) if note.exists() else "---\ndescription: For all projects\n---\n\n"
    return [pi.write(note, f"{before}- {plan.says('holds everywhere')}\n")]


COMMON: tuple[Deed, ...] = (write, append, append, edit, edit, shell, everywhere)


def its_create(plan: Plan) -> Sequence[Step]:
    """Its script makes a note, and the agent writes into it."""
    note = f"core/project/{plan.name}-by-script.md"
    script = plan.package.script("memory-write")
    folder, about = str(plan.project), f"The '{plan.name}': so"
    make = shlex.join(["bash", str(script), "create", folder, note, about, "alpha,beta"])
    line = shlex.quote(f"- {plan.says('was created')}\n")
    return [pi.shell(f"mkdir -p {folder} && {make} && printf -- %s {line} >> {folder}/{note}")]


def its_touch(plan: Plan) -> Sequence[Step]:
    """Its script writes today into a head."""
    if not (notes := [note for note in plan.notes() if text(note).startswith("---\n")]):
        return its_create(plan)
    note = plan.chance.choice(notes).relative_to(plan.project)
    words = ["bash", str(plan.package.script("memory-write")), "touch", str(plan.project), str(note)]
    return [pi.shell(shlex.join(words))]


def its_anchor(plan: Plan) -> Sequence[Step]:
    name = f"its/{plan.name}"
    plan.left.add(name)
    return [Tool("tape_handoff", {"name": name, "summary": plan.says("in an anchor")})]


def its_deletion(plan: Plan) -> Sequence[Step]:
    """An anchor is taken off the tape again, which writes all of its lines anew."""
    known = anchors(plan.here.memory)[0]
    return [Tool("tape_delete", {"id": _delete(plan, known)})] if _deletable(known) else its_anchor(plan)


def _deletable(tape: dict[str, dict[str, Any]]) -> list[str]:
    """The names of anchors that were left here, without those of the session's own."""
    return sorted(name for name in tape if name.startswith(("its/", "ours/")))


def _delete(plan: Plan, tape: dict[str, dict[str, Any]]) -> str:
    """The id of one of them, which counts as deleted from now on."""
    name = plan.chance.choice(_deletable(tape))
    plan.deleted.add(name)
    plan.unsaid |= {*TOKEN.findall(tape[name]["meta"]["summary"])}
    return str(tape[name]["id"])


def its_sync(plan: Plan) -> Sequence[Step]:
    """Its tools that look, and one that pulls, pushes or asks how things stand."""
    action = plan.chance.choice(["pull", "push", "status"])
    look = [Tool("memory_search", {"grep": "tok"}), Tool("memory_check")]
    return [*look, Tool("memory_sync", {"action": action})]


ITS: tuple[Deed, ...] = (its_create, its_create, its_touch, its_anchor, its_anchor, its_deletion, its_sync)


def remember(plan: Plan) -> Sequence[Step]:
    where = plan.chance.choice(["--category gotcha", "--scope global", "--note core/project/stack.md"])
    return [pi.shell(f"ctxrepo remember '{plan.says('is a fact')}' {where}")]


def new(plan: Plan) -> Sequence[Step]:
    return [pi.shell(f"ctxrepo new core/project/{plan.name}.md -d 'Of {plan.says('begun')}'")]


def our_edit(plan: Plan) -> Sequence[Step]:
    if not (place := _line(plan)):
        return remember(plan)
    note, line = place
    target, text = str(note.relative_to(plan.project)), f"{line} plus {plan.says('edited')}"
    return [pi.shell(shlex.join(["ctxrepo", "edit", target, "--old", line, "--new", text]))]


def working(plan: Plan) -> Sequence[Step]:
    """The checklist, today's log."""
    return [pi.shell(f"ctxrepo {plan.chance.choice(['scratch add', 'log'])} '{plan.says('to do')}'")]


def handoff(plan: Plan) -> Sequence[Step]:
    return [pi.shell(f"ctxrepo handoff --next '{plan.says('next')}'")]


def our_anchor(plan: Plan) -> Sequence[Step]:
    name = f"ours/{plan.name}"
    plan.left.add(name)
    return [pi.shell(f"ctxrepo anchor {name} --summary '{plan.says('in an anchor')}'")]


def archive(plan: Plan) -> Sequence[Step]:
    if not (notes := [note for note in plan.notes() if note.name.startswith("ours-")]):
        return new(plan)
    return [pi.shell(f"ctxrepo archive {plan.chance.choice(notes).relative_to(plan.project)}")]


def tool_write(plan: Plan) -> Sequence[Step]:
    """Our tool writes a fact, or a new note."""
    if "memory_write" not in plan.offered:
        return remember(plan)
    fact: dict[str, object] = {"content": plan.says("is a fact by a tool")}
    if plan.chance.random() < 0.5:
        fact |= {
            "note": f"core/project/{plan.name}-by-tool.md",
            "description": "By 'a tool': so",
            "tags": ["t"],
        }
    return [Tool("memory_write", fact)]


def tool_edit(plan: Plan) -> Sequence[Step]:
    if "memory_edit" not in plan.offered or not (place := _line(plan)):
        return tool_write(plan)
    note, line = place
    target = str(note.relative_to(plan.project))
    edit = {"path": target, "oldText": line, "newText": f"{line} plus {plan.says('by a tool')}"}
    return [Tool("memory_read", {"path": target}), Tool("memory_edit", edit)]


def tools(plan: Plan) -> Sequence[Step]:
    """Our tools that look, and one that pulls, pushes or asks how things stand."""
    if "memory_list" not in plan.offered:
        return working(plan)
    look = [Tool("memory_list"), Tool("memory_search", {"grep": "tok"}), Tool("memory_check")]
    return [*look, Tool("memory_sync", {"action": plan.chance.choice(["pull", "push", "status"])})]


def tool_anchor(plan: Plan) -> Sequence[Step]:
    """Our tool of that name leaves an anchor."""
    if "tape_handoff" not in plan.offered:
        return our_anchor(plan)
    name = f"ours/{plan.name}-by-tool"
    plan.left.add(name)
    return [Tool("tape_handoff", {"name": name, "summary": plan.says("in an anchor"), "purpose": "trial"})]


def tool_deletion(plan: Plan) -> Sequence[Step]:
    """Our tool deletes an anchor, whoever left it."""
    known = anchors(plan.here.memory)[0]
    if "tape_delete" not in plan.offered or not _deletable(known):
        return tool_anchor(plan)
    return [Tool("tape_delete", {"ids": [_delete(plan, known)]})]


def tool_tape(plan: Plan) -> Sequence[Step]:
    """Our tools that look at the tape."""
    if "tape_read" not in plan.offered:
        return working(plan)
    read = Tool("tape_read", {"entryScope": "project", "limit": 5, "maxContentChars": 80})
    return [Tool("tape_info"), Tool("tape_list", {"limit": 100}), read]


OURS: tuple[Deed, ...] = (
    *(remember, new, our_edit, working, handoff, our_anchor, archive),
    *(tool_write, tool_write, tool_edit, tools),
    *(tool_anchor, tool_anchor, tool_deletion, tool_tape),
)

SAFE: dict[str, tuple[Deed, ...]] = {"its": (write, its_create, its_anchor), "ours": (write, remember, new)}
"""What can be planned before a session has begun, whatever it pulls at its start."""


def _line(plan: Plan) -> tuple[Path, str] | None:
    """A line with a token, which stands once in its note."""
    lines = [
        (note, line)
        for note in plan.notes()
        for line in text(note).split("\n")
        if line.startswith("- ") and TOKEN.search(line) and text(note).count(line) == 1
    ]
    return plan.chance.choice(lines) if lines else None


def offered(tools: str) -> frozenset[str]:
    """The names of the tools that a request offers."""
    return frozenset(tool["name"] for tool in json.loads(tools))
