"""`make demo`: two machines, one memory, told in real commands and real output; leaves nothing behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CTXREPO = Path(sys.executable).with_name("ctxrepo")
PAYLOADS = Path(__file__).parent / "hot" / "payloads" / "claude"
SESSION = "528a2201-99c9-4828-9c27-c6aefe2ed6df"


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

    def say(self, *words: str, expect: tuple[int, ...] = (0,)) -> str:
        """Run a command as a person would, showing it and what it prints."""
        shown = " ".join(f'"{w}"' if " " in w else w for w in words)
        shown = self.short(shown)
        print(f"\033[1m{self.name}$ {shown}\033[0m" if sys.stdout.isatty() else f"{self.name}$ {shown}")
        done = subprocess.run(
            words, cwd=self.project, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        print(textwrap.indent(self.short(done.stdout + done.stderr).rstrip(), "  "), "\n", sep="")
        if done.returncode not in expect:
            sys.exit(f"demo: {shown} ended with {done.returncode}")
        return done.stdout

    def hook(self, event: str, **fields: object) -> str:
        """What Claude Code does at a moment of a session: the line `setup` wrote, the recorded payload."""
        settings = json.loads((self.home / ".claude" / "settings.json").read_text())
        line = settings["hooks"][event][0]["hooks"][0]["command"]
        payload = json.loads((PAYLOADS / f"{event}.json").read_text())
        payload |= {"session_id": f"{SESSION}-{self.name}", "cwd": str(self.project), **fields}
        began = time.perf_counter()
        done = subprocess.run(
            line,
            shell=True,
            cwd=self.project,
            env=self.env,
            input=json.dumps(payload),
            text=True,
            capture_output=True,
            check=True,
        )
        took = round(1000 * (time.perf_counter() - began))
        answer = json.loads(done.stdout) if done.stdout else {}
        given = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        print(f"  · {event}, {took} ms" + (": the model is given" if given else ""))
        if given:
            print(textwrap.indent(self.short(_shortened(given)).rstrip(), "    │ ", lambda _: True))
        return given


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="ctxrepo-demo-") as folder:
        story(Path(folder))


def story(root: Path) -> None:
    remote = root / "memory.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    laptop, desktop = machine(root, "laptop"), machine(root, "desktop")

    tell("A memory repository is any git remote. Two commands connect a machine.")
    for each in (laptop, desktop):
        each.say("ctxrepo", "init", str(remote))
        each.say("ctxrepo", "setup", "claude", "--yes")

    tell("On the laptop an agent's session starts, learns something, and ends.")
    laptop.hook("SessionStart", source="startup")
    laptop.say(
        "ctxrepo", "remember", "Tests need redis on port 6380: `make redis` starts it", "--category", "gotcha"
    )
    laptop.say("ctxrepo", "new", "topics/release.md", "-d", "How we release the shop", "--tag", "release")
    laptop.say("ctxrepo", "anchor", "checkout/begin", "--summary", "Cart works; payment is next")
    laptop.hook("Stop")
    laptop.hook("SessionEnd")
    wait_for(
        lambda: not at_work(laptop) and "gotcha" in files_of(remote), "the laptop's memory on the remote"
    )

    tell("The next session, on the desktop, is given the index before its first word …")
    if "gotcha" not in desktop.hook("SessionStart", source="startup"):
        tell("(This machine is busy: what a session start can't wait for comes with the first prompt.)")
        wait_for(lambda: not at_work(desktop), "the desktop's worker")
        desktop.hook("UserPromptSubmit", prompt="hello")
    tell("… and the entry that matters beside the prompt that needs it; otherwise silence.")
    desktop.hook("UserPromptSubmit", prompt="why do the redis tests fail on my machine?")
    desktop.hook("UserPromptSubmit", prompt="ok thanks")

    tell("Both machines change the same note while apart.")
    note = "topics/gotcha.md"
    laptop.say("ctxrepo", "remember", "The payment sandbox resets at midnight UTC", "--note", note)
    desktop.say("ctxrepo", "remember", "CI caches node_modules by lock file", "--note", note)
    laptop.say("ctxrepo", "sync")
    desktop.say("ctxrepo", "sync")
    laptop.say("ctxrepo", "sync")
    one, other = (m.say("ctxrepo", "read", note) for m in (laptop, desktop))
    if one != other:
        sys.exit("demo: the two machines hold different notes")

    tell("And you review it like code.")
    laptop.say("git", "-C", str(laptop.home / ".ctxrepo"), "log", "--graph", "--format=%h %s", "-6")
    wait_for(lambda: not at_work(laptop, desktop), "the workers to finish")


def machine(root: Path, name: str) -> Machine:
    home = root / name
    project = home / "shop"
    project.mkdir(parents=True)
    (home / ".claude").mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    for words in (("init", "-q"), ("remote", "add", "origin", "https://git.example.org/ada/shop.git")):
        subprocess.run(["git", *words], cwd=project, check=True)
    return Machine(name, home, project)


def files_of(remote: Path) -> str:
    words = ["git", "-C", str(remote), "ls-tree", "-r", "--name-only", "main"]
    return subprocess.run(words, capture_output=True, text=True).stdout


def at_work(*machines: Machine) -> bool:
    words = ["pgrep", "-f", "|".join(str(m.home / ".local") for m in machines)]
    return subprocess.run(words, capture_output=True).returncode == 0


def wait_for(is_so: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 15
    while time.monotonic() < end:
        if is_so():
            return
        time.sleep(0.1)
    sys.exit(f"demo: waited in vain for {what}")


def _shortened(given: str) -> str:
    """The rules are shown once; after that only what is new."""
    rules, heading, rest = given.partition("\n## ")
    if rules.count("\n") < 4 or rules.splitlines()[4] not in _shown:
        _shown.update(rules.splitlines())
        return given
    return f"{rules.splitlines()[0]}\n(the rules, as above){heading}{rest}"


_shown: set[str] = set()


def tell(words: str) -> None:
    print(f"\n\033[36m# {words}\033[0m\n" if sys.stdout.isatty() else f"\n# {words}\n")


if __name__ == "__main__":
    main()
