"""Builders: code repositories of a person, and what the memory says to who stands in one."""

from __future__ import annotations

import subprocess
from pathlib import Path

from repositories import make_checkout
from terminal import Terminal


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "init.defaultBranch=main", *words], cwd=folder, check=True)


def repository(folder: Path, url: str = "", commits: int = 1) -> Path:
    """A new repository whose commits are like no other's."""
    make_checkout(folder, url)
    for number in range(commits):
        git(folder, "commit", "-q", "--allow-empty", "-m", f"{folder} {number}")
    return folder


def remember(cli: Terminal, cwd: Path, text: str) -> str:
    """Write a fact in a folder; returns the folder of the memory that it is in."""
    cli.cwd = cwd
    place: str = cli("remember", text, "--json").data["at"]
    return place.split("/")[0]


def facts(cli: Terminal, cwd: Path) -> list[str]:
    """What the main note of the project at a folder says; nothing when there is no such note."""
    cli.cwd = cwd
    answer = cli("read", "project:MEMORY.md", "--json")
    return [entry["text"].removeprefix("- ") for entry in answer.data["entries"]] if not answer.code else []
