"""The table of keys, and whether the canaries of `make attacks` are alive."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from attacks.attack import attack
from attacks.carriers import CARRIERS
from attacks.keys import batches, keys, written
from attacks.stage import Stage
from attacks.teeth import bites
from needs import needs_proc
from servers.ssh import needs_sshd

pytestmark = pytest.mark.each_commit


@needs_sshd
@needs_proc
def test_a_persons_own_git_would_have_touched_many(stage: Stage) -> None:
    """Without this nobody would know whether the canaries are alive."""
    attack(stage, "alive", CARRIERS[".git/config"], batches()[""], ())
    touched = bites(stage)
    assert len([line for line in touched if line.startswith("ran: ")]) >= 8, touched
    assert "ran: core.sshCommand" in touched


def test_every_key_is_written_as_git_reads_it(tmp_path: Path) -> None:
    for key in keys():
        values = {word: f"/a b/{word} %c#;\\" for word in ("program", "leak", "empty", "foreign", "fifo")}
        values |= {"tcp": "127.0.0.1:1", "address": 'ssh://a@b.c:1/d "e', "hooks": "h", "more": "m"}
        (tmp_path / "config").write_text(written(key, values))
        words = ["git", "config", "--file", str(tmp_path / "config"), "--null", "--list"]
        output = subprocess.run(words, capture_output=True, text=True, check=True).stdout.rstrip("\0")
        name, _, value = output.partition("\n")
        expected = [key.name, key.value]
        for word, filled in values.items():
            expected = [text.replace("{" + word + "}", filled) for text in expected]
        first, _, last = expected[0].partition(".")[0], "", expected[0].rpartition(".")[2]
        middle = expected[0][len(first) : -len(last)]
        assert (name, value) == (f"{first.lower()}{middle}{last.lower()}", expected[1])


NAMING = re.compile(
    r".*(cmd|command|program|helper|proxy|editor|pager|driver|askpass|url|uri|path|hook|browser|viewer|external"
    r"|textconv|insteadof|target|tunnel|dir|sslca(info|path)|file|template|worktree|smudge|monitor)",
    re.IGNORECASE,
)
"""Last words of keys that name a program, a path, an address or an include."""

NAMES_NONE = re.compile(
    r"advice\..*|color\..*|fsck\..*|(fetch|receive)\.fsck\..*|gitcvs\.dbDriver|http\.schannel.*|core\.fsyncObjectFiles"
    r"|credential\.useHttpPath|guitool\.<name>\.needsFile|transfer\.credentialsInUrl|core\.quotePath"
    r"|diff\.<driver>\.cachetextconv|merge\.<driver>\.name|notes\.rewrite\.<command>|.*\.helpers?\..*|gui\.newBranchTemplate"
)


def test_no_key_that_this_git_knows_is_missing_in_the_table() -> None:
    """A newer git may know more: whoever adds one here adds a row to keys.tsv."""
    known = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True).stdout
    suspects = {
        name
        for name in known.split()
        if NAMING.fullmatch(name.rpartition(".")[2]) and not NAMES_NONE.fullmatch(name)
    }
    assert len(suspects) > 50
    shapes = {_shape(key.name) for key in keys()}
    missing = {name for name in suspects if _shape(name) not in shapes}
    assert missing == set()


def _shape(name: str) -> tuple[str, str]:
    """Section and last word, without what stands between them."""
    return name.partition(".")[0].lower(), name.rpartition(".")[2].lower()


def test_the_table_names_the_page_of_each_key() -> None:
    assert len(keys()) > 200
    assert all(re.fullmatch(r"[a-z0-9-]+", key.page) for key in keys())
    labels = [key.label for key in keys() if "{program}" in key.value or "{empty}" in key.value]
    assert len(labels) == len(set(labels)), "each canary has a name of its own"
