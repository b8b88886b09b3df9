"""Somebody with a home and a clone of one memory, whose commands are measured."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.measure import at_work


@dataclass(frozen=True)
class Person:
    home: Path
    remote: Path

    @property
    def clone(self) -> Path:
        return self.home / ".ctxrepo"

    @property
    def state(self) -> Path:
        return self.home / ".local/state/ctxrepo"

    @property
    def env(self) -> Mapping[str, str]:
        config = {"core.fsync": "all", "gc.auto": "0", "user.name": "a", "user.email": "a@example.org"}
        given = {"GIT_CONFIG_COUNT": str(len(config))}
        for number, (key, value) in enumerate(config.items()):
            given |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return {"HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", **given}

    def run(self, *words: str, cwd: Path | None = None) -> str:
        run = subprocess.run(words, cwd=cwd or self.home, env=self.env, capture_output=True, text=True)
        assert run.returncode == 0, (words, run.stdout, run.stderr)
        return run.stdout

    def git(self, *words: str) -> str:
        return self.run("git", *words, cwd=self.clone)

    def ctxrepo(self, *words: str, cwd: Path | None = None) -> str:
        return self.run(sys.executable, "-m", "ctxrepo", *words, cwd=cwd)

    def wait_for_workers(self) -> None:
        """What a worker does in the background must not be measured with what comes next."""
        while at_work(str(self.state)):
            time.sleep(0.05)
