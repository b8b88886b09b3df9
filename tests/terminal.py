"""A terminal at a machine: the real command line, run in this process, and everything it said."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from machines import Machine

from ctxrepo.faces.cli.app import main


@dataclass(frozen=True)
class Answer:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict[str, Any]:
        """The one JSON object of a command with --json."""
        envelope: dict[str, Any] = json.loads(self.out)
        assert list(envelope) == ["schema_version", "ok", "data", "error"]
        assert envelope["schema_version"] == 1
        assert envelope["ok"] == (envelope["error"] is None)
        return envelope

    @property
    def data(self) -> dict[str, Any]:
        envelope = self.envelope
        assert envelope["ok"], envelope
        data: dict[str, Any] = envelope["data"]
        return data

    @property
    def error(self) -> dict[str, str]:
        envelope = self.envelope
        assert (envelope["ok"], envelope["data"]) == (False, None)
        error: dict[str, str] = envelope["error"]
        assert list(error) == ["code", "message", "hint"]
        return error

    def is_one_line(self) -> bool:
        """One line says what is wrong and at most one more what helps; nothing else is printed."""
        message, *hint = self.err.splitlines()
        is_hint = not hint or (len(hint) == 1 and hint[0].startswith("  "))
        return not self.out and message.startswith("ctxrepo: ") and is_hint and "Traceback" not in self.err


@dataclass
class Terminal:
    """Commands are run in the project's folder. `woken` are the calls for a worker, who doesn't come: what a
    test sees was not done by one."""

    machine: Machine
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    cwd: Path | None = None
    woken: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, *words: str, stdin: str | bytes = b"", **env: str) -> Answer:
        """Run a command; `env` is added to the environment, a variable that is '' taken out of it."""
        with self.monkeypatch.context() as patch:
            for name, value in {**self.machine.env, **env}.items():
                if value:
                    patch.setenv(name, value)
                else:
                    patch.delenv(name, raising=False)
            patch.setattr(
                "ctxrepo.faces.cli.waiting.NOTICE_DELAY", 3600.0
            )  # no test depends on how busy it is here
            patch.chdir(self.cwd or self.machine.project_folder)
            typed = stdin.encode() if isinstance(stdin, str) else stdin
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
            patch.setattr("ctxrepo.app.desk.run_forking", lambda start: self.woken.append(start.args))
            self.capsys.readouterr()
            code = main(words)
        return Answer(code, *self.capsys.readouterr())
