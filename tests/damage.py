"""Spoils random files below .git of a clone with unsent work, and checks that nothing acknowledged is lost.

`python tests/damage.py --seeds 200` prints what it did; the test suite runs a few seeds of it.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from machines import NOW, Machine, make_machine, make_remote

from ctxrepo.domain.project.target import parse_target
from ctxrepo.services.saving.commit import commit

SHAPES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (),
    (("pack-refs", "--all"),),
    (("gc", "-q"),),
    (("repack", "-qad"), ("commit-graph", "write", "--reachable")),
)
"""What a person's git may have made of the clone."""


@dataclass
class World:
    """Two machines and a remote in one folder, which can be set back to how it was built."""

    root: Path
    facts: list[str] = field(default_factory=list)

    @property
    def ada(self) -> Machine:
        return Machine(self.root / "now" / "ada")

    @property
    def ben(self) -> Machine:
        return Machine(self.root / "now" / "ben")

    @property
    def remote(self) -> Path:
        return self.root / "now" / "memory.git"

    def build(self, shape: Sequence[Sequence[str]]) -> None:
        """Facts sent by both machines, some committed and not sent, one that is in the write log only."""
        (self.root / "now").mkdir(parents=True)
        remote = make_remote(self.root / "now")
        for name in ("ada", "ben"):
            make_machine(self.root / "now", name).init(str(remote))
        for number, machine in enumerate((self.ada, self.ben, self.ada, self.ben)):
            self._remember(machine, f"sent {number}", "topics/shared.md")
            machine.sync()
        self.ada.sync()
        for number in range(3):
            self._remember(self.ada, f"committed {number}", f"topics/n{number % 2}.md")
            commit(self.ada.open(), NOW)
        for words in shape:
            self.ada.git(*words)
        self._remember(self.ben, "from elsewhere", "topics/shared.md")
        self.ben.sync()
        self._remember(self.ada, "committed last", "topics/shared.md")
        commit(self.ada.open(), NOW)
        self._remember(self.ada, "in the log only", "topics/n1.md")
        shutil.copytree(self.root / "now", self.root / "built", symlinks=True)

    def set_back(self) -> None:
        shutil.rmtree(self.root / "now")
        shutil.copytree(self.root / "built", self.root / "now", symlinks=True)

    def _remember(self, machine: Machine, text: str, note: str) -> None:
        fact = f"the fact {text.replace(' ', '-')} holds"
        machine.remember(fact, note=parse_target(note))
        self.facts.append(fact)


def _empty(file: Path, chance: random.Random) -> None:
    file.write_bytes(b"")


def _truncate(file: Path, chance: random.Random) -> None:
    data = file.read_bytes()
    file.write_bytes(data[: chance.randrange(len(data) or 1)])


def _flip(file: Path, chance: random.Random) -> None:
    data = bytearray(file.read_bytes())
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def _zero(file: Path, chance: random.Random) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def _unlink(file: Path, chance: random.Random) -> None:
    file.unlink()


DEEDS: tuple[Callable[[Path, random.Random], None], ...] = (_empty, _truncate, _flip, _zero, _unlink)


def spoil(git_dir: Path, chance: random.Random) -> list[str]:
    """Spoil one to four files, those there are few of as often as the many objects; says what it did."""
    files = [p for p in sorted(git_dir.rglob("*")) if p.is_file() and _is_target(p.relative_to(git_dir))]
    kinds: dict[str, list[Path]] = {}
    for file in files:
        kinds.setdefault(_kind(file.relative_to(git_dir)), []).append(file)
    done = []
    for _ in range(chance.choice((1, 1, 2, 4))):
        file = chance.choice(kinds[chance.choice(sorted(kinds))])
        if file.exists():
            file.chmod(0o644)
            deed = chance.choice(DEEDS)
            deed(file, chance)
            done.append(f"{deed.__name__[1:]} {file.relative_to(git_dir)}")
    return done


def _is_target(path: Path) -> bool:
    return path.parts[0] in ("objects", "refs", "index", "HEAD", "packed-refs", "logs")


def _kind(path: Path) -> str:
    return "loose" if len(path.parts) == 3 and len(path.parts[1]) == 2 else path.parent.name + path.suffix


def heal(machine: Machine, was_elsewhere: bool = False) -> list[str]:
    """What a person would do: sync, then what it names, then sync again. Returns what went wrong."""
    wrong: list[str] = []
    for words in (("sync",), ("doctor", "--fix"), ("sync",)):
        run = machine.ctxrepo(*words)
        output = run.stdout + run.stderr
        if "Traceback" in output or "unexpected" in output:
            wrong.append(f"{words[0]}: {output[-500:]}")
        if words == ("sync",) and run.returncode in (0, 4):
            return wrong
        if ", not on main" in output:  # a flipped HEAD may read as another branch
            machine.ctxrepo("doctor", "--fix")  # which may meet what is damaged there, and stop
            machine.git("symbolic-ref", "HEAD", "refs/heads/main")
            return wrong + heal(machine, was_elsewhere=True) if not was_elsewhere else [output[-500:]]
    return [*wrong, f"still {run.returncode}: {output[-500:]}"]


def missing(world: World) -> list[str]:
    """What is not as it should be after healing."""
    world.ada.ctxrepo("doctor", "--fix")  # a sync doesn't notice what it has no need to read
    world.ben.sync()
    heads = {
        "the remote": subprocess.run(
            ["git", "grep", "-h", "the fact", "main"], cwd=world.remote, capture_output=True, text=True
        ).stdout,
        "ada": world.ada.git("grep", "-h", "the fact", "HEAD"),
        "ben": world.ben.git("grep", "-h", "the fact", "HEAD"),
    }
    faults = [
        f"{who} lacks {fact!r}" for who, text in heads.items() for fact in world.facts if fact not in text
    ]
    world.ada.sync()
    if dirty := world.ada.git("status", "--porcelain"):
        faults.append(f"ada is not clean: {dirty[:200]}")
    checked = subprocess.run(
        ["git", "fsck", "--no-dangling", "--no-reflogs"],
        cwd=world.ada.clone,
        env=world.ada.env,
        capture_output=True,
        text=True,
    )
    if checked.returncode:
        faults.append(f"fsck: {checked.stdout[-300:]}{checked.stderr[-300:]}")
    return faults


def run(root: Path, seeds: Sequence[int], say: Callable[[str], None] = lambda _: None) -> list[str]:
    """Spoil and heal once for each seed; returns what went wrong."""
    faults: list[str] = []
    worlds: dict[int, World] = {}
    for seed in seeds:
        shape = seed % len(SHAPES)
        if shape not in worlds:
            worlds[shape] = World(root / str(shape))
            worlds[shape].build(SHAPES[shape])
        world = worlds[shape]
        world.set_back()
        deeds = spoil(world.ada.clone / ".git", random.Random(seed))
        try:
            wrong = heal(world.ada) or missing(world)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            wrong = [f"{error}: {error.stderr!r}"]
        say(f"seed {seed}: {deeds}: {wrong or 'well'}")
        faults += [f"seed {seed}, {deeds}: {fault}" for fault in wrong]
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="ctxrepo-damage-"))
    began = time.monotonic()
    seeds = range(options.first, options.first + options.seeds)
    faults = run(root, seeds, lambda line: print(line, flush=True))
    print("\n".join(faults))
    print(f"{len(seeds)} damaged clones in {time.monotonic() - began:.0f} s, {len(faults)} faults")
    print(Counter(fault.partition(": ")[2][:60] for fault in faults) if faults else "nothing lost")
    shutil.rmtree(root)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
