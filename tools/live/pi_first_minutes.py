"""A pi user's first five minutes, played as docs/how-to/pi-in-five-minutes.md shows them.

Two machines share one memory; the package comes from a folder on one, from git over ssh on the other. Of the
page only `pipx install` isn't run: ctxrepo is here already.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from machines import make_remote
from servers.ssh import ssh_server

from live import stage as stages
from live import transcript
from live.alone import company
from live.install import CHECKOUT
from live.play import Play
from live.recorded import added
from live.stage import Stage
from live.steps import Text, Tool
from live.transcript import Typed

PAGE = CHECKOUT / "docs" / "how-to" / "pi-in-five-minutes.md"
HOST = "git@git.example.org:ada/"
"""Where the page has its repositories; git takes a server on loopback for it."""


def first_minutes(play: Play) -> None:
    """The how-to from top to bottom: what it shows is what is seen, and each machine ends in silence."""
    with _repositories(play.stage.root / "host") as (client, address):
        minutes = _Minutes(play, client, address)
        try:
            for typed in transcript.read(PAGE):
                minutes.take(typed)
        finally:
            minutes.end()


class _Minutes:
    """The machines of the page, each made when something is first typed on it, and the pi that is open."""

    def __init__(self, play: Play, client: str, address: str) -> None:
        self._play, self._client, self._address = play, client, address
        self._machines: dict[str, Play] = {}
        self._talk: Any = None

    def take(self, typed: Typed) -> None:
        here = self._on(typed.machine)
        if typed.is_in_pi:
            seen = self._type(here, typed)
        elif typed.text == "pi":
            self.end()
            self._talk, seen = here.talk(), ""
        else:
            seen = _run(here.stage, typed.text)
        seen = seen.replace(str(here.stage.machine.home), "/home/ada")
        lost = [*transcript.missing(typed.shown, seen)]
        self._look(f"{typed.machine}: {typed.text}", not lost, f"missing {lost} in {seen}" if lost else seen)

    def end(self) -> None:
        """The pi that is open is left, and what it left to do is done."""
        if not self._talk:
            return
        self._talk.end()
        self._look("pi complained of nothing", not self._talk.errors(), self._talk.errors()[:300])
        self._talk = None
        self._play.stage.wait(lambda: not self._workers(), 30)
        self._look("what the session left to do is done", not self._workers(), self._workers())
        for machine in self._machines.values():
            problems = machine.stage.problems()
            self._look("no hook and no worker met a problem", not problems, problems[:1])

    def _workers(self) -> list[str]:
        """Who is still running, but for the server."""
        return [words for words in company(self._play.stage.root) if not words.startswith("sshd")]

    def _type(self, here: Play, typed: Typed) -> str:
        if typed.text.startswith("/"):
            return str(self._talk.shown(typed.text[1:]))
        here.stage.model.will(*[Tool(tool, given) for tool, given in typed.calls], Text())
        before = len(here.prompts())
        self._talk.say(typed.text)
        prompts = here.prompts()
        given = "\n".join(here.given(before))
        lost = [*transcript.missing(typed.given, given)]
        self._look(f"given beside {typed.text!r}", not lost, f"missing {lost} in {given}" if lost else given)
        results = "\n".join(added(prompts[before], prompts[-1])) if typed.calls else ""
        lost = [*transcript.missing(typed.results, results)]
        self._look(f"{len(typed.calls)} calls of tools", not lost, f"missing {lost}" if lost else results)
        return ""

    def _on(self, name: str) -> Play:
        if name not in self._machines:
            first = self._play.stage
            root = first.root / name
            root.mkdir()
            stage = stages.before_init(root, first.root / "host" / "memory.git", first.model, first.installed)
            stage = replace(stage, started=first.started)
            (root / "bin" / "pi").symlink_to(first.installed.program)
            with (stage.machine.home / ".gitconfig").open("a") as config:
                config.write(f'[core]\n\tsshCommand = "{self._client}"\n')
                config.write(f'[url "{self._address}/"]\n\tinsteadOf = {HOST}\n')
            self._play.agent.know_model(stage)
            self._machines[name] = replace(self._play, stage=stage)
        return self._machines[name]

    def _look(self, what: str, holds: bool, seen: object) -> None:
        self._play.report.look(what, holds, seen)


def _run(stage: Stage, command: str) -> str:
    """What a command prints; that of the shell's own folder leads to where the sessions are."""
    if command.startswith("pipx "):
        return ""
    words = ["sh", "-c", f"{command} && pwd" if command.startswith("cd ") else command]
    run = subprocess.run(words, cwd=stage.machine.home, env=stage.machine.env, capture_output=True, text=True)
    if run.returncode or (command.startswith("cd ") and run.stdout.strip() != str(stage.project)):
        raise RuntimeError(f"`{command}` ended with {run.returncode}: {run.stdout}{run.stderr}")
    return run.stdout + run.stderr


@contextmanager
def _repositories(folder: Path) -> Iterator[tuple[str, str]]:
    """A host that has our package and an empty memory: the ssh command that reaches it, and its address."""
    folder.mkdir()
    make_remote(folder)
    work = folder / "work"
    work.mkdir()
    for name in ("package.json", *json.loads((CHECKOUT / "package.json").read_text("utf-8"))["files"]):
        here, there = CHECKOUT / name, work / name
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(here, there) if here.is_dir() else shutil.copy(here, there)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "begin"]):
        subprocess.run([*git, *words], cwd=work, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", str(work), str(folder / "ctxrepo.git")], check=True)
    with ssh_server(folder / "sshd") as server:
        yield server.client, server.url(folder)


ALL: dict[str, Callable[[Play], None]] = {"pi-first-minutes": first_minutes}
