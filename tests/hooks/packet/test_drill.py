"""The drill: a made-up lane is one file and its place in the list; it is given, and explained."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import CHECKOUT
from machines import Machine

from ctxrepo.hooks.packet.presets import BUDGETS, ORDER, lanes_of

LANE = '''
"""What the weather is: the WEATHER.md of each scope, as it is written."""

from ctxrepo.hooks.known.packet_rows import entries_at
from ctxrepo.hooks.packet.lane import DEFAULT, Bounds, NoteLane

class _Weather(NoteLane):
    def collect(self, source, contents):
        for scope in contents.scopes:
            found = entries_at(source.cache, f"{scope.folder}/WEATHER.md")
            contents.entries[self.name, scope.folder] = found

WEATHER = _Weather("weather", {DEFAULT: Bounds(100, 300)})
'''

LIST = {
    "    return [\n        *(PREAMBLE_LANE, ": (
        "    from ctxrepo.hooks.packet.weather_lane import WEATHER\n\n"
        "    return [\n        *(PREAMBLE_LANE, WEATHER, "
    ),
    '"caveat", "pinned"': '"caveat", "weather", "pinned"',
}
"""The places in presets.py where the lane is put in: when it gets room, and where it stands."""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A ctxrepo with a lane more."""
    package = tmp_path / "installed/ctxrepo"
    shutil.copytree(CHECKOUT / "ctxrepo", package, ignore=shutil.ignore_patterns("__pycache__"))
    lanes = package / "hooks/packet"
    (lanes / "weather_lane.py").write_text(LANE.lstrip())
    text = (lanes / "presets.py").read_text()
    for before, after in LIST.items():
        assert text.count(before) == 1
        text = text.replace(before, after)
    (lanes / "presets.py").write_text(text)
    return package


def run(machine: Machine, package: Path, words: list[str], stdin: str = "") -> str:
    done = subprocess.run(
        words,
        cwd=machine.project_folder,
        env={**machine.env, "PYTHONPATH": str(package.parent)},
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.slow
def test_it_appears_in_the_packet_and_in_its_explanation(ada: Machine, package: Path) -> None:
    ada.init()
    ada.write("global/WEATHER.md", "- it rains\n" + "".join(f"- and on day {n} too\n" for n in range(30)))
    ada.sync()
    context = [sys.executable, "-m", "ctxrepo", "context"]
    text = run(ada, package, context)
    section = text.partition("## global/WEATHER.md\n")[2].partition("\n## ")[0]
    assert section.startswith("- it rains\n- and on day 0 too\n")
    assert "### cut: " in section
    explained = run(ada, package, [*context, "--explain"]).splitlines()
    (line,) = [line.split() for line in explained if line.startswith("weather global")]
    assert line[2:4] == ["100", "300"]
    assert line[-1] == "cut"
    event = json.dumps({"cwd": str(ada.project_folder), "session_id": "s", "source": "startup"})
    hook = [sys.executable, "-I", "-S", str(package / "hook.py"), "claude", "SessionStart"]
    assert "- it rains" in run(ada, package, [*hook, str(ada.places.state)], event)


@pytest.mark.parametrize("preset", BUDGETS)
def test_every_lane_has_its_bounds_and_its_place(preset: str) -> None:
    for lane in lanes_of(preset):
        assert lane.bounds[preset].floor <= lane.bounds[preset].cap
        assert lane.name in ORDER, "nobody would be given what a lane without a place says"
