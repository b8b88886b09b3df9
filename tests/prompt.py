"""A person at a shell in a terminal: keys are typed, and what a command was then given is read."""

from __future__ import annotations

import os
import pty
import select
import sys
import time
from pathlib import Path

from machines import Machine

READY = "READY>"
_RAN = "THE-COMMAND-RAN"
_PATIENCE = 60.0

# How each shell is started so that it reads nothing of the machine's, and says READY> when it waits.
SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
_PROMPT = {
    "bash": "PS1=REA''DY\\>",
    "zsh": "PS1=REA''DY\\>; unsetopt promptsp",
    "fish": "function fish_prompt; printf REA; printf DY\\>; end",
}


_NOTES_WORDS = """\
#!/bin/sh
printf '%s\\n' "$@" > '{given}.new'
mv '{given}.new' '{given}'
echo '{ran}'
"""


class Prompt:
    """One shell, with a `ctxrepo` on its PATH that only notes what it was given."""

    def __init__(self, shell: str, machine: Machine) -> None:
        folder = machine.home / "bin"
        folder.mkdir(exist_ok=True)
        self.given = machine.home / "given"
        command = folder / "ctxrepo"
        command.write_text(_NOTES_WORDS.format(given=self.given, ran=_RAN))
        command.chmod(0o755)
        term = "xterm" if shell == "fish" else "dumb"
        env = {**machine.env, "PATH": f"{folder}:{os.environ['PATH']}", "TERM": term}
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(machine.project_folder)
            os.execvpe(SHELLS[shell][0], SHELLS[shell], env)
        self.seen = ""
        self.type(f"{_PROMPT[shell]}\r")
        self.wait_for(READY)

    def __enter__(self) -> Prompt:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, 9)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def wait_for(self, word: str) -> str:
        """Read until `word` is on the terminal; returns all until then, and forgets it."""
        end = time.monotonic() + _PATIENCE
        while word not in self.seen:
            assert time.monotonic() < end, f"no {word!r} in {self.seen!r}"
            if select.select([self.terminal], [], [], 0.2)[0]:
                self.seen += os.read(self.terminal, 65536).decode("utf-8", "replace")
        before, _, self.seen = self.seen.partition(word)
        return before

    def run(self, line: str) -> str:
        self.type(f"{line}\r")
        return self.wait_for(READY)

    def complete(self, keys: str) -> tuple[list[str], str]:
        """Type keys and Enter; returns what `ctxrepo` was given then, and what was on the terminal."""
        self.given.unlink(missing_ok=True)
        self.type(f"{keys}\r")
        shown = self.wait_for(_RAN)  # not a prompt: shells draw theirs again while they complete
        self.wait_for(READY)
        return self.given.read_text().splitlines(), shown


def script(shell: str, machine: Machine) -> Path:
    """The completion script of this checkout, in a file."""
    run = machine.ctxrepo("completion", shell, cwd=machine.home)
    assert (run.returncode, run.stderr) == (0, ""), run
    file = machine.home / f"completion.{shell}"
    file.write_text(run.stdout)
    assert sys.executable in run.stdout
    return file
