"""How many kinds of secrets are found, how many clean lines flagged: `python -m attacks.secrets_score`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from attacks.secrets_corpus import KINDS
from attacks.secrets_kinds import Kind

from ctxrepo.domain.secrets import scan

ENOUGH = 5
"""Of a kind's six notes; a kind counts when so many are found."""

MADE = {".git", ".venv", "__pycache__", ".peers", ".live", "site-packages"}
"""Folders that hold nothing of those that one looks at."""

READ = (".py", ".md", ".txt", ".rst", ".toml", ".json", ".sh", ".js", ".ts", ".yml", ".yaml", ".html", "")


@dataclass
class Score:
    """What became of the plants of one seed."""

    kinds: Counter[str] = field(default_factory=Counter)
    kinds_found: Counter[str] = field(default_factory=Counter)
    plants: Counter[str] = field(default_factory=Counter)
    plants_found: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[Kind, list[str]]] = field(default_factory=list)
    """Kinds that don't count, with their notes that weren't found."""

    @property
    def share(self) -> float:
        """Of kinds that count."""
        return self.kinds_found.total() / self.kinds.total()


def score(seed: int, kinds: Iterable[Kind] = KINDS) -> Score:
    """All kinds with the notes of this seed."""
    outcome = Score()
    for kind in kinds:
        notes = kind.planted(seed)
        blind = [note for note in notes if not scan(f"# Notes\n\n{note}\n")]
        outcome.kinds[kind.family] += 1
        outcome.plants[kind.family] += len(notes)
        outcome.plants_found[kind.family] += len(notes) - len(blind)
        if len(notes) - len(blind) >= ENOUGH:
            outcome.kinds_found[kind.family] += 1
        else:
            outcome.missed.append((kind, blind))
    return outcome


@dataclass
class Alarms:
    """What clean lines were flagged."""

    lines: int = 0
    by_rule: Counter[str] = field(default_factory=Counter)
    flagged: dict[tuple[str, int], str] = field(default_factory=dict)
    """File and line, with the rule."""

    @property
    def rate(self) -> float:
        """Flagged lines in a thousand."""
        return 1000 * len(self.flagged) / max(1, self.lines)


def texts(folder: Path, endings: tuple[str, ...] = READ) -> Iterator[tuple[str, str]]:
    """The text files below `folder` with their paths, in order; what a tool made is passed over."""
    for path in sorted(folder.rglob("*")):
        made = MADE & set(path.relative_to(folder).parts)
        if not made and path.suffix in endings and path.is_file() and path.stat().st_size <= 1024 * 1024:
            try:
                yield str(path), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def alarms(files: Iterable[tuple[str, str]]) -> Alarms:
    """What is flagged in files that hold no secret."""
    seen = Alarms()
    for path, text in files:
        seen.lines += text.count("\n") + 1
        for secret in scan(text):
            seen.by_rule[secret.rule] += 1
            seen.flagged[path, secret.line] = secret.rule
    return seen


def main() -> None:
    """Say what was found; with --clean, what was flagged wrongly in those folders."""
    parser = argparse.ArgumentParser(prog="python -m attacks.secrets_score", description=__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="how many sets of plants")
    parser.add_argument("--missed", action="store_true", help="show the notes that weren't found")
    parser.add_argument("--clean", type=Path, nargs="*", default=[], help="folders that hold no secret")
    parser.add_argument("--endings", nargs="*", default=READ, help="which files of them are read")
    args = parser.parse_args()
    for seed in range(args.seeds):
        outcome = score(seed)
        plants = f"{outcome.plants_found.total()} of {outcome.plants.total()} plants"
        print(
            f"seed {seed}: {outcome.kinds_found.total()} of {outcome.kinds.total()} kinds, {outcome.share:.1%}; {plants}"
        )
        for family, count in outcome.kinds.items():
            print(f"  {family:<16}{outcome.kinds_found[family]:>4} of {count:>3} kinds, ", end="")
            print(f"{outcome.plants_found[family]:>4} of {outcome.plants[family]:>4} plants")
        for kind, blind in outcome.missed:
            print(f"  missed {kind.family}/{kind.name}: {len(blind)} of 6 notes")
            for note in blind if args.missed else ():
                print("    | " + note.replace("\n", "\n    | "))
    for folder in args.clean:
        seen = alarms(texts(folder, tuple(args.endings)))
        print(
            f"{folder}: {len(seen.flagged)} of {seen.lines} lines flagged, {seen.rate:.3f} in 1,000",
            dict(seen.by_rule),
        )
        for (path, line), rule in seen.flagged.items() if args.missed else ():
            print(f"    {path}:{line} {rule}")


if __name__ == "__main__":
    main()
