"""Objects that no honest git makes."""

from __future__ import annotations

import subprocess
from pathlib import Path


def forge(remote: Path) -> None:
    """Put a commit with a file `.git` onto a repository's main branch."""

    def made(kind: str, data: bytes) -> str:
        words = ["git", "-C", str(remote), "hash-object", "--literally", "-t", kind, "-w", "--stdin"]
        return subprocess.run(words, input=data, capture_output=True, check=True).stdout.decode().strip()

    tree = made("tree", b"100644 .git\0" + bytes.fromhex(made("blob", b"x")))
    who = b"a <a@example.org> 1 +0000"
    commit = made("commit", b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (tree.encode(), who, who))
    subprocess.run(["git", "-C", str(remote), "update-ref", "refs/heads/main", commit], check=True)
