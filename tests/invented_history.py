"""A repository of invented texts with a history of a year, for measures over histories (tools/living)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from living.material.histories import DAY, History

BEGIN = 1_750_000_000
"""Unix seconds of the first commit."""

_ENV = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "LANG": "C.UTF-8"}

NEIGHBOURS = (
    "The harbour ledger is closed every evening at half past nine by the night clerk",
    "Ships longer than ninety metres moor at the eastern quay because the basin is deeper there",
    "Customs papers are scanned in colour, as the stamps can't be read in grey",
    "A pilot must be ordered six hours before arrival, by telephone and never by mail",
    "The crane on the northern pier lifts forty tonnes, but only while the wind is below seven",
    "Fuel is measured twice, once by the supplier and once by our own dipstick",
    "Fishing boats pay by the week and pleasure boats by the night, in advance",
    "The fog horn is tested on the first Monday of each month, a quarter before noon",
    "Tide tables come from the hydrographic office and are corrected for our own gauge",
    "Reefer containers need their plugs checked every four hours, at night as well",
    "The lock keeper answers on channel eleven and listens on channel sixteen",
    "Ballast water may be exchanged outside of the breakwater only",
    "Invoices for tugs are written in the master's currency and booked in ours",
)
"""Lines of a document that nobody changes."""

OLD = "The importer of manifests tries three times before it gives up and tells the harbour office"
NEW = "The importer of manifests tries eight times before it gives up and tells the harbour office"
ADDED = "Rope is bought by the coil from the chandler in Mill Lane, who delivers on Thursdays"

NAMING = (
    "Berth prices are in `src/prices.py` and are reloaded when the file changes",
    "Manifests are read in `src/manifest.py`, by `parse_manifest`, line by line",
    "The tariff for tugs is worked out by `tug_tariff` whenever an invoice is written",
    "Run `make harbour` to start everything, with the crane simulated on the desk",
    "Weather comes through `src/weather.py`, from the station on the breakwater itself",
)
"""Lines that name something: the first stays true; then the file is renamed, the symbol is gone, the command
is gone, and the file is gone."""

_CODE: Mapping[str, str] = {
    "src/prices.py": "PRICE_PER_METRE = 12\n\n\ndef price_of(length):\n    return length * PRICE_PER_METRE\n",
    "src/manifest.py": "def parse_manifest(text):\n    # one line a container\n    return text.split()\n",
    "src/tugs.py": "def tug_tariff(hours: int) -> int:\n    return hours * 140\n",
    "src/weather.py": "def wind_force() -> int:\n    return 4\n",
    "Makefile": "harbour:\n\tpython -m harbour\n\ncheck:\n\tpython -m pytest\n",
}


def make_history(root: Path, name: str = "ada+harbour") -> History:
    """A clone with a document and code. Day 0: OLD and NEIGHBOURS and NAMING. Day 100: NEW. Day 110: ADDED.
    Day 115: the names change. Day 300: the last commit."""
    place = root / name
    _git(place, 0, "init", "--quiet", "--initial-branch=main", str(place))
    _commit(place, 0, {**_CODE, "AGENTS.md": _document(OLD), "docs/code.md": _listed(NAMING)})
    _commit(place, 100, {"AGENTS.md": _document(NEW)})
    _commit(place, 110, {"AGENTS.md": _document(NEW, ADDED)})
    _git(place, 115, "-C", str(place), "mv", "src/manifest.py", "src/cargo.py")
    (place / "src/weather.py").unlink()
    tariff = "def towing_fee(hours: int) -> int:\n    return hours * 150\n"
    _commit(place, 115, {"src/tugs.py": tariff, "Makefile": "check:\n\tpython -m pytest\n"})
    _commit(place, 300, {"LICENSE": "Do as you like.\n"})
    return History(name, place / ".git")


def _document(fact: str, added: str = "") -> str:
    lines = [*NEIGHBOURS[:6], fact, *NEIGHBOURS[6:]]
    return _listed([*lines[:10], added, *lines[10:]] if added else lines)


def _listed(lines: tuple[str, ...] | list[str]) -> str:
    return "# Harbour\n\n" + "".join(f"- {line}\n" for line in lines)


def _commit(place: Path, day: int, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(text)
    _git(place, day, "-C", str(place), "add", "--all")
    _git(place, day, "-C", str(place), "commit", "--quiet", "-m", f"day {day}")


def _git(place: Path, day: int, *words: str) -> None:
    when = f"{BEGIN + day * DAY} +0000"
    who = {
        f"GIT_{role}_{what}": "ada@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    subprocess.run(["git", *words], check=True, env={**_ENV, **who, **dates}, capture_output=True)
