"""Links, pipes and garbage in the clone's git folder: nobody hangs, nothing leaks, work goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from attacks.attack import attack
from attacks.canaries import canaries
from attacks.cousins import COUSINS
from attacks.forks import Runner
from attacks.orders import LAST, SENT
from attacks.stage import Setup, Stage, make_memory
from long import mostly_long_of_each
from needs import needs_proc

pytestmark = needs_proc

ORDERS = (
    ("remember", SENT, "--scope", "global"),
    ("hook", "claude", "SessionStart"),
    ("sync",),
    ("doctor", "--fix"),
    ("remember", LAST, "--scope", "global"),
    ("sync",),
)

TRIED = (
    "a pipe as config", "a pipe as commondir", "a pipe as HEAD", "a pipe as refs/heads/main",
    "a pipe as objects/info/alternates",
    "a pipe as objects/pack/multi-pack-index", "a pipe as ctxrepo/id", "a pipe as index", "a pipe as gc.pid",
    "a pipe as info/sparse-checkout", "a pipe as logs/refs/heads/main", "a link as refs/heads/main",
    "a link as logs/HEAD", "a link as info/attributes", "a link as ctxrepo/id", "a link as gc.pid",
    "objects elsewhere", "ctxrepo elsewhere",
    "garbage in config", "garbage in packed-refs", "garbage in shallow", "HEAD leads out",
    "a commit replaced", "a shared index", "a graft",
)  # fmt: skip
"""`make attacks` tries all of them, with all commands."""


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    root = tmp_path_factory.mktemp("attacked")
    with canaries(root / "canaries") as watched, Runner() as runner:
        remote = make_memory(root)
        yield Stage(root, remote, Setup("file", remote.as_uri()), watched, runner)


def kind(name: str) -> str:
    """What lies there: a pipe, a link, garbage, or something of its own."""
    return next((kind for kind in ("a pipe", "a link", "garbage") if name.startswith(kind)), "")


@pytest.mark.parametrize("name", mostly_long_of_each(TRIED, kind))
def test_what_lies_in_a_git_folder_does_no_harm(stage: Stage, name: str) -> None:
    assert attack(stage, name, COUSINS[name], [], ORDERS).faults == []
