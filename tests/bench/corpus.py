"""Memory repositories of any size, made up from a seed."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

PER_PROJECT = 100
_WORDS = ("build", "test", "deploy", "cache", "token", "retry", "queue", "index", "parser", "schema")


def make_remote(place: Path, notes: int, seed: int = 1) -> Path:
    """A bare repository of so many notes: the first hundred global, each further hundred a project."""
    place.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(place)], check=True)
    subprocess.run(["git", "-C", str(place), "config", "uploadpack.allowFilter", "true"], check=True)
    chance = random.Random(seed)
    words = ["git", "-C", str(place), "fast-import", "--quiet"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(b"commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\n")
        process.stdin.write(_data(b"memory: seed"))
        for number in range(notes):
            process.stdin.write(f"M 100644 inline {path_of(number)}\n".encode())
            process.stdin.write(_data(_note(number, chance)))
    assert process.returncode == 0
    return place


def path_of(number: int) -> str:
    folder = "global" if number < PER_PROJECT else f"project-{number // PER_PROJECT:05d}"
    return f"{folder}/topics/note-{number:06d}.md"


def _note(number: int, chance: random.Random) -> bytes:
    said = [" ".join(chance.choices(_WORDS, k=9)) for _ in range(7)]
    head = f"---\ndescription: note {number} about {said[0]}\ntags: [{chance.choice(_WORDS)}]\n---\n\n"
    return (head + "".join(f"- {text} {number}-{n}\n" for n, text in enumerate(said[1:]))).encode()


def _data(data: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(data), data)
