"""pi in one process that takes several prompts, over its RPC mode: an object a line, both ways."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from live.stage import Stage

PATIENCE = 60.0
"""Seconds a command or a turn may take."""

_GOTO = """\
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
export default function (pi: ExtensionAPI) {
  pi.registerCommand("goto", { handler: async (id, ctx) => { await ctx.navigateTree(id); } });
}
"""
"""An extension with which a command goes to an entry of the tree, as `/tree` does in a terminal."""


class Talk:
    """A conversation in one process, as an editor holds it."""

    def __init__(self, stage: Stage, program: list[str], env: dict[str, str]) -> None:
        goto = stage.root / "goto.ts"
        goto.write_text(_GOTO)
        self._stage = stage
        with (stage.root / "errors.txt").open("ab") as errors:
            self._process = subprocess.Popen(
                [*program, "-e", str(goto), "--mode", "rpc"],
                cwd=stage.project,
                env={**stage.machine.env, **env},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        stage.started.append(self._process)
        self._said: list[dict[str, Any]] = []
        self._sent = self._before = 0
        self.typed: str | None = None
        """What the person types when pi asks them for a line; None: they leave."""
        threading.Thread(target=self._listen, daemon=True).start()

    def say(self, prompt: str) -> None:
        """One turn, waited for."""
        self.begin(prompt)
        self.finish()

    def begin(self, prompt: str) -> None:
        """One turn, not waited for."""
        self._before = self._settled()
        self.command("prompt", message=prompt)

    def finish(self) -> None:
        """Wait for the turn that was begun."""
        self._until(lambda: self._settled() > self._before)

    def command(self, kind: str, **fields: object) -> Any:
        """What pi answers to a command; RuntimeError where it couldn't do it."""
        self._sent += 1
        name = f"r{self._sent}"
        self._write({"id": name, "type": kind, **fields})
        self._until(lambda: bool(self._answers(name)))
        answer = self._answers(name)[0]
        if not answer["success"]:
            raise RuntimeError(f"{kind}: {answer.get('error')}")
        return answer.get("data")

    def shown(self, line: str) -> str:
        """What the person is shown when they type this command of an extension."""
        before = len(self._said)
        self.command("prompt", message=f"/{line}")
        return self.notices(before)

    def notices(self, since: int = 0) -> str:
        """What the person was shown, from this line of pi's output on."""
        requests = [line for line in self._said[since:] if line.get("type") == "extension_ui_request"]
        return "\n".join(request["message"] for request in requests if request["method"] == "notify")

    def entry(self, words: str) -> str:
        """The id of the last message of the user that holds these words."""
        ids = [
            message["entryId"]
            for message in self.command("get_fork_messages")["messages"]
            if words in message["text"]
        ]
        return str(ids[-1])

    def go_to(self, entry: str) -> None:
        """Go to this entry of the tree; a message of the user is taken back with it."""
        self.command("prompt", message=f"/goto {entry}")

    def end(self) -> float:
        """When it was gone."""
        assert self._process.stdin
        if not self._process.stdin.closed:
            self._process.stdin.close()
        self._process.wait(PATIENCE)
        return time.monotonic()

    def errors(self) -> str:
        """What it complained of, to the person or to whoever drives it."""
        errors = [line for line in self._said if line.get("type") == "extension_error"]
        return Path(self._stage.root / "errors.txt").read_text("utf-8") + "".join(map(str, errors))

    def _settled(self) -> int:
        return sum(line.get("type") == "agent_settled" for line in list(self._said))

    def _answers(self, name: str) -> list[dict[str, Any]]:
        return [
            line for line in list(self._said) if line.get("type") == "response" and line.get("id") == name
        ]

    def _until(self, is_so: Any) -> None:
        if self._stage.wait(is_so, PATIENCE) is None:
            raise TimeoutError(f"pi didn't answer; see {self._stage.root / 'errors.txt'}")

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            event = json.loads(line)
            self._said.append(event)
            if event.get("type") == "extension_ui_request" and event["method"] == "input":
                typed = {"cancelled": True} if self.typed is None else {"value": self.typed}
                self._write({"type": "extension_ui_response", "id": event["id"], **typed})

    def _write(self, command: dict[str, object]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
