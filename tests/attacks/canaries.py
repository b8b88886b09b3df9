"""Canaries: programs, repositories, files, pipes and a port that tell who touched them."""

from __future__ import annotations

import os
import shutil
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attacks.keys import Key, written

HOOKS = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "commit-msg",
    "prepare-commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "update",
    "pre-receive",
    "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
    "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist",
    "p4-post-changelist", "p4-pre-submit", "post-index-change",
)  # fmt: skip
"""Every name of githooks(5)."""

FOREIGN = "a fact of somebody else's, 4711"


class Canaries:
    """All that lies in `root`; `tcp` is the port that must not be called, as host:port."""

    def __init__(self, root: Path, tcp: str, called: list[str]) -> None:
        self.root, self.tcp, self._called = root, tcp, called
        self._template = root / "template"
        self._foreign = ""
        for name in ("programs", "empty", "leaks"):
            (root / name).mkdir(parents=True)
        spring = root / "spring"
        spring.write_text(f"#!/bin/sh\nprintf '%s\\n' \"${{0##*/}}\" >> '{root}/ran'\n")
        spring.chmod(0o755)
        subprocess.run(
            ["git", "init", "-q", "--bare", "--template=", "-b", "main", self._template], check=True
        )
        os.mkfifo(root / "fifo")
        for name in HOOKS:
            self.program(f"hooks/{name}", "hook")

    def program(self, name: str, kind: str = "programs") -> Path:
        """A program that notes its name when it runs."""
        file = self.root / ("hooks" if kind == "hook" else kind) / name.rpartition("/")[2]
        file.parent.mkdir(exist_ok=True)
        if not file.exists():
            os.link(self.root / "spring", file)
        return file

    def empty(self, name: str) -> Path:
        """A bare repository in which nothing must arrive."""
        folder = self.root / "empty" / name
        if not folder.exists():
            shutil.copytree(self._template, folder)
        return folder

    @property
    def foreign(self) -> Path:
        return self.root / "foreign.git"

    def fill_foreign(self, remote: Path) -> None:
        """Make the foreign repository: the memory as it is, and one note more."""
        subprocess.run(["git", "clone", "-q", "--bare", str(remote), str(self.foreign)], check=True)
        with (self.foreign / "config").open("a") as config:
            config.write("[uploadpack]\n\tallowFilter = true\n\tallowAnySHA1InWant = true\n")
        work = self.root / "foreign-work"
        subprocess.run(["git", "clone", "-q", str(self.foreign), str(work)], check=True)
        (work / "global" / "foreign.md").write_text(f"- {FOREIGN}\n")
        for words in (("add", "."), ("commit", "-qm", "foreign"), ("push", "-q")):
            subprocess.run(["git", *words], cwd=work, check=True)
        shutil.rmtree(work)
        self._foreign = _everything(self.foreign)

    def values(self, key: Key, address: str) -> dict[str, str]:
        """What stands for the words in braces of a key."""
        more = self.root / "more"
        if not more.exists():
            program = self.program("included")
            more.write_text(f"[core]\n\tsshCommand = {program}\n\tfsmonitor = {program}\n")
        needed = {"program": str(self.program(key.label)) if "{program}" in key.value + key.name else ""}
        if "{empty}" in key.value + key.name:
            needed["empty"] = str(self.empty(key.label))
        return needed | {
            "leak": str(self.root / "leaks" / key.label),
            "fifo": str(self.root / "fifo"),
            "foreign": str(self.foreign),
            "tcp": self.tcp,
            "hooks": str(self.root / "hooks"),
            "more": str(more),
            "address": address,
        }

    def poison(self, chosen: list[Key], address: str) -> str:
        """The text of a configuration that sets these keys."""
        return "".join(written(key, self.values(key, address)) for key in chosen)

    def ran(self) -> list[str]:
        file = self.root / "ran"
        return sorted(set(file.read_text().split())) if file.exists() else []

    def touched(self) -> list[str]:
        """What is wrong, a line each: programs that ran, and all that went elsewhere."""
        traces = [f"ran: {name}" for name in self.ran()]
        traces += [
            f"sent to {folder.name}" for folder in (self.root / "empty").iterdir() if _everything(folder)
        ]
        traces += [f"leaked into {file.name}" for file in (self.root / "leaks").iterdir()]
        traces += [f"called by network: {words}" for words in self._called]
        if self.foreign.exists() and _everything(self.foreign) != self._foreign:
            traces.append("sent to the foreign repository")
        return traces

    def reset(self) -> None:
        """As if nobody had touched anything."""
        (self.root / "ran").unlink(missing_ok=True)
        self._called.clear()
        for folder in (self.root / "empty", self.root / "leaks"):
            shutil.rmtree(folder)
            folder.mkdir()


def _everything(repository: Path) -> str:
    """All refs and objects of a repository, read without git's asking its configuration."""
    files = sorted(
        str(p.relative_to(repository))
        for name in ("objects", "refs")
        for p in (repository / name).rglob("*")
        if p.is_file() and "alternates" not in p.name
    )
    packed = repository / "packed-refs"
    return "\n".join(files) + (packed.read_text() if packed.exists() else "")


@contextmanager
def canaries(root: Path) -> Iterator[Canaries]:
    """Canaries below `root`; the port is closed at the end."""
    called: list[str] = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(1)
            try:
                called.append(repr(self.request.recv(60)))
            except OSError:
                called.append("a call without a word")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield Canaries(root, f"127.0.0.1:{server.server_address[1]}", called)
        finally:
            server.shutdown()
            thread.join()
