"""Runs commands of ctxrepo as forks of a process that has loaded them: a start costs most of what they do.

pygit2 isn't loaded ahead: it looks for a person's configuration while it is being loaded.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

from checkout import PYTHONPATH

LIMIT = 60.0
"""Seconds after which a command is taken to hang, on a machine that has other things to do as well."""


@dataclass(frozen=True)
class Ended:
    """`code` is None for a command that hung and was ended."""

    code: int | None
    output: str


class Runner:
    """A process that runs commands for others; to be used by `with`."""

    def __enter__(self) -> Runner:
        words = [sys.executable, "-m", "attacks.forks"]
        env = os.environ | {"PYTHONPATH": PYTHONPATH}
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def run(self, words: tuple[str, ...], cwd: Path, env: Mapping[str, str], stdin: str = "") -> Ended:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"words": words, "cwd": str(cwd), "env": dict(env), "stdin": stdin}
        print(json.dumps(order), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        return Ended(answer["code"], answer["said"])


def _serve() -> None:
    for name in ("ctxrepo.__main__", "ctxrepo.faces.cli.app", "ctxrepo.storage.memory"):
        import_module(name)  # once, for all forks
    assert "pygit2" not in sys.modules
    for line in sys.stdin:
        order = json.loads(line)
        output = Path(tempfile.gettempdir(), f"ctxrepo-fork-{os.getpid()}")
        pid = os.fork()
        if pid == 0:
            _become(order, output)
        print(json.dumps({"code": _waited(pid), "said": output.read_text(errors="replace")}), flush=True)
        output.unlink()


def _become(order: dict[str, Any], output: Path) -> None:
    code = 70
    try:
        os.setsid()
        os.chdir(str(order["cwd"]))
        os.environ.clear()
        os.environ.update(order["env"])
        reading, writing = os.pipe()
        os.write(writing, str(order["stdin"]).encode())
        os.close(writing)
        os.dup2(reading, 0)
        out = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdin = os.fdopen(0)
        sys.argv = ["ctxrepo", *order["words"]]
        from ctxrepo.__main__ import main

        code = main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _waited(pid: int) -> int | None:
    """How a fork ended; None when it had to be ended."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.killpg(pid, 9)
    os.waitpid(pid, 0)
    return None


if __name__ == "__main__":
    _serve()
