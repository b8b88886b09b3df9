"""Machines and sessions for the demo: they do what a person, an agent and its hooks do, and say so aloud."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from checkout import PAYLOADS
from repositories import make_checkout

CTXREPO = Path(sys.executable).with_name("ctxrepo")


@dataclass(frozen=True)
class Machine:
    """A home folder of its own, with a checkout of the same project: what tells two machines apart."""

    name: str
    home: Path
    project: Path

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": f"{CTXREPO.parent}:{os.environ['PATH']}", "LANG": "C.UTF-8"}

    def short(self, text: str) -> str:
        """The temporary folder that both homes are in is only noise."""
        return text.replace(str(self.home.parent), "/home")

    def say(self, *words: str) -> str:
        """Run a command as a person would, showing it and what it prints."""
        return self.run(words, "$", {})

    def run(self, words: tuple[str, ...], sign: str, more: dict[str, str]) -> str:
        shown = self.short(" ".join(f'"{w}"' if " " in w else w for w in words))
        bright(f"{self.name}{sign} {shown}")
        run = subprocess.run(
            words,
            cwd=self.project,
            env={**self.env, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        print(textwrap.indent(self.short(run.stdout + run.stderr).rstrip(), "  "), "\n", sep="")
        if run.returncode:
            sys.exit(f"demo: {shown} ended with {run.returncode}")
        return run.stdout


@dataclass(frozen=True)
class Session:
    """A session of Claude Code: the lines that `setup` wrote, called with payloads as it sends them."""

    on: Machine
    id: str = field(default_factory=lambda: str(uuid.uuid4()))

    @property
    def record(self) -> Path:
        """The agent's own record of the session, in which hooks find what was said."""
        return self.on.home / ".claude" / "projects" / "-shop" / f"{self.id}.jsonl"

    def starts(self) -> str:
        return self._hook("SessionStart")

    def is_asked(self, prompt: str) -> str:
        print(f'  "{prompt}"')
        self._note("user", prompt)
        return self._hook("UserPromptSubmit", prompt=prompt)

    def runs(self, *words: str) -> str:
        """A command of the agent, which Claude Code tells what session it is in."""
        return self.on.run(words, ">", {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": self.id})

    def edits(self, file: Path, line: str) -> str:
        """The agent adds a line to a file with its own tool, and the tool's hook follows."""
        file.parent.mkdir(parents=True, exist_ok=True)
        old = file.read_text() if file.exists() else ""
        file.write_text(f"{old}{line}\n")
        print(f"  (the agent edits {self.on.short(str(file))}: + {line})")
        count = old.count("\n")
        patch = {
            "oldStart": count,
            "oldLines": 0,
            "newStart": count + 1,
            "newLines": 1,
            "lines": [f"+{line}"],
        }
        return self._hook(
            "PostToolUse",
            "PostToolUse-edit",
            tool_input={"file_path": str(file), "old_string": "", "new_string": line},
            tool_response={"filePath": str(file), "structuredPatch": [patch]},
        )

    def replies(self, words: str) -> None:
        self._note("assistant", words)
        self._hook("Stop", last_assistant_message=words)

    def is_compacted(self) -> str:
        """The agent has its conversation summed up, which takes it a while, and goes on with the summary."""
        self._hook("PreCompact")
        wait_for(lambda: not at_work(self.on), "the handoff before the compaction")
        return self._hook("SessionStart", "SessionStart-compact")

    def ends(self) -> None:
        self._hook("SessionEnd")
        wait_for(lambda: not at_work(self.on) and is_sent(self.on), "the memory to be on the remote")

    def _hook(self, event: str, recorded: str = "", **fields: object) -> str:
        settings = json.loads((self.on.home / ".claude" / "settings.json").read_text())
        line = settings["hooks"][event][0]["hooks"][0]["command"]
        payload = json.loads((PAYLOADS / f"{recorded or event}.json").read_text())
        payload |= {"session_id": self.id, "cwd": str(self.on.project), "transcript_path": str(self.record)}
        began = time.perf_counter()
        run = subprocess.run(
            line,
            shell=True,
            cwd=self.on.project,
            env=self.on.env,
            input=json.dumps(payload | fields),
            text=True,
            capture_output=True,
            check=True,
        )
        took = round(1000 * (time.perf_counter() - began))
        answer = json.loads(run.stdout) if run.stdout else {}
        given = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        print(f"  · {event}, {took} ms" + (": the model is given" if given else ""))
        if given:
            print(textwrap.indent(self.on.short(_shortened(given)).rstrip(), "    │ ", lambda _: True))
        return str(given)

    def _note(self, who: str, words: str) -> None:
        content = words if who == "user" else [{"type": "text", "text": words}]
        line = {"type": who, "sessionId": self.id, "message": {"role": who, "content": content}}
        self.record.parent.mkdir(parents=True, exist_ok=True)
        with self.record.open("a") as file:
            file.write(json.dumps(line) + "\n")


def machine(root: Path, name: str) -> Machine:
    home = root / name
    project = home / "shop"
    make_checkout(project, "https://git.example.org/ada/shop.git")
    (home / ".claude").mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    return Machine(name, home, project)


def at_work(*machines: Machine) -> bool:
    words = ["pgrep", "-f", "|".join(str(m.home / ".local") for m in machines)]
    return subprocess.run(words, capture_output=True).returncode == 0


def is_sent(machine: Machine) -> bool:
    """Whether the remote has what the machine has committed."""
    clones = (machine.home / ".ctxrepo", machine.home.parent / "memory.git")
    words = ["git", "rev-parse", "main"]
    here, there = (subprocess.run(words, cwd=clone, capture_output=True).stdout for clone in clones)
    return here == there


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    """Wait for a fact, however busy the machine is; only what hangs is given up."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        if is_so():
            return
        time.sleep(0.1)
    sys.exit(f"demo: waited in vain for {what}")


def tell(words: str) -> None:
    """What the reader is told between commands."""
    text = textwrap.fill(words, 100, initial_indent="# ", subsequent_indent="# ")
    print(f"\n\033[36m{text}\033[0m\n" if sys.stdout.isatty() else f"\n{text}\n")


def bright(words: str) -> None:
    print(f"\033[1m{words}\033[0m" if sys.stdout.isatty() else words)


def _shortened(given: str) -> str:
    """The rules are shown once; after that only what is new."""
    rules, heading, rest = given.partition("\n## ")
    if rules.count("\n") < 4 or rules.splitlines()[4] not in _shown:
        _shown.update(rules.splitlines())
        return given
    return f"{rules.splitlines()[0]}\n(the rules, as above){heading}{rest}"


_shown: set[str] = set()
