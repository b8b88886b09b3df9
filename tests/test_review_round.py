"""docs/how-to/review-memory.md can't drift: its round is played, by commands here and plain git there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import CHECKOUT
from machines import Machine
from page_output import CUT, plain
from processes import wait_for_workers

from ctxrepo.domain.project.layout import is_note
from ctxrepo.services.health.note_checks import check

PAGE = CHECKOUT / "docs/how-to/review-memory.md"
REMOTE = "git@git.example.org:team/memory.git"
AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "8f2e1c3d-5b6a-4c7d-8e9f-0a1b2c3d4e5f"}
TEMPLATE = "PULL_REQUEST_TEMPLATE.md"


def typed() -> Iterator[tuple[str, str, list[str]]]:
    """(who, what they type, what the page shows of the answer), in order."""
    text = PAGE.read_text("utf-8").partition("## The whole round")[2].partition("## A template")[0]
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        parts = re.split(r"^(laptop\$|laptop>|rae\$) (.*)\n", block, flags=re.MULTILINE)
        assert kind or not parts[0], parts[0]
        yield from ((w, c, s.splitlines()) for w, c, s in zip(*[iter(parts[1:])] * 3, strict=True))


def missing(shown: list[str], output: str) -> list[str]:
    """The lines of a page that weren't said in their order, whatever ids, names and numbers they have."""
    lines = iter([_plain(line) for line in output.splitlines()])
    parts = ([_plain(part) for part in line.split(CUT)] for line in shown if line.strip() != CUT)
    return [
        CUT.join(part)
        for part in parts
        if not any(line.startswith(part[0]) and all(p in line for p in part) for line in lines)
    ]


def _plain(line: str) -> str:
    """How many commits there are depends on how fast one types."""
    return plain(line).replace("commits", "commit")


@pytest.fixture
def laptop(ada: Machine, remote: Path) -> Machine:
    """A machine with a team's memory, in which a note waits to be changed."""
    ada.places.state.mkdir(parents=True, exist_ok=True)
    ada.places.host_file.write_text("laptop-a1b2\n")
    assert ada.ctxrepo("init", str(remote)).returncode == 0
    assert ada.ctxrepo("new", "topics/deploy", "--description", "how it is deployed").returncode == 0
    note = ada.read("shop/topics/deploy.md")
    ada.write("shop/topics/deploy.md", f"{note.rstrip()}\n\n- argo deploys it\n- by ssh, where argo fails\n")
    ada.sync()
    return ada


def play(machine: Machine, remote: Path, folder: Path) -> Iterator[tuple[str, list[str], str]]:
    """(command, what the page shows of its answer, what it said) for all of the page."""
    command = folder / "bin/ctxrepo"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{CHECKOUT}" exec "{sys.executable}" -m ctxrepo "$@"\n')
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    rae = {"HOME": str(folder), "GIT_AUTHOR_NAME": "Rae", "GIT_AUTHOR_EMAIL": "rae@example.org"}
    rae |= {"GIT_COMMITTER_NAME": "Rae", "GIT_COMMITTER_EMAIL": "rae@example.org"}
    branch = ""
    for who, words, shown in typed():
        is_rae = who == "rae$"
        place = folder / "memory" if is_rae else machine.project_folder
        env = {**(rae if is_rae else machine.env), **(AGENT if who == "laptop>" else {}), "PATH": path}
        text = re.sub(r"ctxrepo/laptop-a1b2/\d{8}", branch, words).replace(REMOTE, str(remote))
        cwd = place if place.is_dir() else folder
        run = subprocess.run(
            ["bash", "-c", f"({text}) 2>&1"], env=env, cwd=cwd, capture_output=True, text=True
        )
        match = re.search(r"ctxrepo/laptop-a1b2/\d{8}", run.stdout)
        branch = branch or (match[0] if match else "")
        yield words, shown, run.stdout.replace(str(machine.home), "~")


@pytest.mark.slow
def test_the_round_goes_as_the_page_shows(laptop: Machine, remote: Path, tmp_path: Path) -> None:
    played = 0
    for words, shown, output in play(laptop, remote, tmp_path):
        assert missing(shown, output) == [], f"{words}\n{output}"
        played += 1
    assert played > 20
    wait_for_workers(laptop)


def test_the_template_travels_and_is_no_note(laptop: Machine) -> None:
    laptop.write(TEMPLATE, (CHECKOUT / "templates/review" / TEMPLATE).read_text("utf-8"))
    assert is_note(TEMPLATE)
    laptop.sync()
    assert laptop.git("show", f"origin/main:{TEMPLATE}").startswith("<!-- Whoever opens this")
    assert check(laptop.open()) == []
    for words in (
        ("context",),
        ("list",),
        ("search", "customers opinions"),
        ("recall", "customers opinions"),
    ):
        assert "opinions" not in laptop.ctxrepo(*words).stdout
