"""One attack: a poisoned git folder, everything a person and an agent do there, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from attacks.carriers import Carrier, Poison, behind_a_git_file, behind_a_link
from attacks.cousins import COUSINS, SECRET
from attacks.forks import Ended
from attacks.keys import Key
from attacks.orders import Order
from attacks.stage import Stage

ELSEWHERE = (behind_a_git_file, behind_a_link)
"""A git folder that isn't the clone's own is left alone, which a sentence says."""


FORMATS = ("extensions.objectFormat", "extensions.refStorage")
"""Keys by which a clone says that it has other formats of git; such a clone is refused (ADR 65)."""

HAVE_TO = ("remember", "hook", "sync", "init")
"""Commands that must succeed where the git folder is whole."""


@dataclass
class Attack:
    """`faults` is what went wrong; `tried` counts pairs of a key and a command."""

    name: str
    tried: int = 0
    faults: list[str] = field(default_factory=list)


def attack(
    stage: Stage,
    name: str,
    carrier: Carrier,
    chosen: list[Key],
    orders: tuple[Order, ...],
    top: Path | None = None,
) -> Attack:
    """Poison the clone, or the checkout at `top`; run all commands, and look at every canary."""
    outcome = Attack(name)
    stage.restore()
    address = stage.setup.address
    text = stage.canaries.poison(chosen, address)
    poison = Poison(text, tuple(chosen), address, stage.canaries, stage.aside)
    more = carrier(top or stage.machine.clone, poison)
    acknowledged, last, is_held = list[str](), "", False
    for order in orders:
        ended = stage.run(order, **more)
        outcome.tried += max(1, len(chosen))
        outcome.faults += _faults_in(order, ended)
        if order[0] == "remember" and ended.code == 0:
            acknowledged.append(order[1])
        if order[0] in ("sync", "hook", "_work"):
            last = ended.output
            outcome.faults += [f"{came} after: {' '.join(order)}" for came in stage.foreign_notes()[:1]]
        # Where a key names attributes that have git convert notes, they stay here, which is said (ADR 75).
        is_held = is_held or (ended.code == 6 and "git stores it in another form" in ended.output)
        is_refused = is_held or _is_foreign(chosen, ended) or _may_refuse(carrier, order, ended, top)
        if ended.code and order[0] in HAVE_TO and not is_refused:
            outcome.faults.append(f"{' '.join(order)} ends with {ended.code}: {ended.output.strip()[-300:]}")
    outcome.faults += [f"doesn't end: {words[:150]}" for words in stage.asks_for_silence()]
    outcome.faults += stage.canaries.touched() + stage.foreign_notes() + _outside(stage)
    if not is_held and (top or not _names(carrier, last)):
        outcome.faults += [f"not sent: {fact}" for fact in acknowledged if not stage.arrived(fact)]
    outcome.faults = [f"{name}: {fault}" for fault in outcome.faults]
    return outcome


def _faults_in(order: Order, ended: Ended) -> list[str]:
    """A command ends, and shows neither its insides nor what is outside."""
    what = " ".join(order)
    faults = [f"hangs: {what}"] if ended.code is None else []
    if "Traceback" in ended.output or "unexpected:" in ended.output:
        faults.append(f"shows its insides: {what}: {ended.output[-400:]}")
    if SECRET in ended.output:
        faults.append(f"tells what is outside: {what}")
    return faults


def _is_foreign(chosen: list[Key], ended: Ended) -> bool:
    """Whether the clone is said to have another format of git, and a sentence says so."""
    return any(key.name in FORMATS for key in chosen) and "ctxrepo works with SHA-1" in ended.output


def _may_refuse(carrier: Carrier, order: Order, ended: Ended, top: Path | None) -> bool:
    """Where git's own files are damaged or lie elsewhere, a sentence says which, and the exchange waits. What
    is written in a project whose folder hangs is refused: nobody knows which project that is."""
    if top and order[0] == "remember" and f"{top} doesn't answer" in ended.output:
        return True
    if order[0] in ("sync", "init") and carrier in COUSINS.values():
        return True
    return top is None and order[0] != "hook" and _names(carrier, ended.output)


def _names(carrier: Carrier, output: str) -> bool:
    """Whether the words name what lies in the way."""
    if carrier in ELSEWHERE:
        return any(
            words in output for words in (".ctxrepo/.git", "no memory repository", "not a git repository")
        )
    place = next((name for name, cousin in COUSINS.items() if cousin is carrier), "")
    for words in ("a pipe as ", "a link as ", "garbage in ", " elsewhere"):
        place = place.replace(words, "")
    if place == "MERGE_HEAD":
        return "a merge is unfinished" in output
    return bool(place) and (f".git/{place}" in output or f"{place} in " in output)


def _outside(stage: Stage) -> list[str]:
    """What was written where a link leads."""
    folder = stage.aside / "outside"
    if not folder.exists():
        return []
    is_whole = (folder / "file").exists() and (folder / "file").read_text() == f"{SECRET}\n"
    more = [f"written outside: {p.name}" for p in folder.iterdir() if p.name != "file"]
    return more if is_whole else [*more, "a file outside was changed"]
