"""What a git that speaks with a remote may take of the machine."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

from ctxrepo.domain.guard.bounds import GIT_FILE, GIT_MEMORY, GIT_SECONDS, SAID_BYTES
from ctxrepo.errors import GitFailed
from ctxrepo.storage.git.git import RECEIVING, SENDING, Git, Limits, Watch

SHOWN = (
    "import resource as r; print(*(r.getrlimit(k)[0] for k in (r.RLIMIT_DATA, r.RLIMIT_FSIZE, r.RLIMIT_CPU)))"
)


def limits_of(limits: Limits) -> list[int]:
    command = limits.on(["python3", "-c", SHOWN])
    return [int(word) for word in subprocess.check_output(command, text=True).split()]


@pytest.mark.slow
def test_a_command_has_the_limits_before_it_begins() -> None:
    assert limits_of(RECEIVING) == [GIT_MEMORY.most, GIT_FILE.most, GIT_SECONDS.most]
    assert limits_of(SENDING)[0] == GIT_MEMORY.most
    assert limits_of(SENDING)[2] == resource.getrlimit(resource.RLIMIT_CPU)[0]


def test_words_with_spaces_and_signs_arrive_as_they_are() -> None:
    words = ["printf", "%s|", "a b", "$(id)", "'", '"', ""]
    assert subprocess.check_output(RECEIVING.on(words), text=True) == "a b|$(id)|'|\"||"


@pytest.mark.parametrize(
    ("code", "errors", "is_here", "words"),
    [
        (128, "fatal: Out of memory, malloc failed (tried to allocate 9 bytes)", False, "bytes of memory"),
        (128, "remote: fatal: Out of memory, malloc failed", True, "bytes of memory"),
        (128, "remote: fatal: Out of memory, malloc failed", False, ""),
        (128, "error: index-pack died of signal 24\nfatal: x", False, "seconds of a processor"),
        (-24, "", False, "seconds of a processor"),
        (128, "error: unpack-objects died of signal 25", False, "bytes in a file"),
        (128, "fatal: could not read from remote", False, ""),
        (0, "warning: out of memory", False, ""),
    ],
)
def test_which_limit_it_was_is_told(code: int, errors: str, is_here: bool, words: str) -> None:
    message = RECEIVING.excess(code, errors, is_here=is_here)
    assert words in message
    assert bool(message) == bool(words)


def test_who_never_stops_talking_is_ended(tmp_path: Path) -> None:
    for talk in ("yes", "yes >&2"):
        answer = Git(tmp_path, dict(os.environ)).run(
            "-c", f"alias.talk=!{talk}", "talk", timeout=300, watch=Watch(limits=RECEIVING)
        )
        assert (answer.ok, answer.out, answer.err) == (False, "", "")
        assert f"{SAID_BYTES.most:,} bytes of words" in answer.excess


def test_without_git_there_is_one_clear_line_within_limits_too(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="git could not be started"):
        Git(tmp_path, {"PATH": ""}).run("version", timeout=5, watch=Watch(limits=RECEIVING))
