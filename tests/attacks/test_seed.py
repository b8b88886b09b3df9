"""A short run of what `make attacks` does at length: all keys at once, and three that lead elsewhere."""

from __future__ import annotations

import pytest
from attacks.attack import attack
from attacks.carriers import CARRIERS
from attacks.keys import batches
from attacks.orders import FEW
from attacks.stage import Stage
from long import mostly_long
from needs import needs_proc
from servers.ssh import needs_sshd


@needs_sshd
@needs_proc
@pytest.mark.parametrize(
    ("place", "apart", "least"),
    mostly_long(
        [
            (".git/config", "", 2_000),
            (".git/config.worktree", "sent elsewhere", 14),
            (".git/commondir", "address, foreign", 14),
            (".git/config", "sha256", 7),
            (".git/config", "reftable", 7),
        ],
        keep=1,
    ),
)
def test_no_key_in_any_place_touches_a_canary(stage: Stage, place: str, apart: str, least: int) -> None:
    """All keys at once in the clone's configuration, two that lead elsewhere, and two for other formats."""
    outcome = attack(stage, f"{place}, {apart}", CARRIERS[place], batches()[apart], FEW)
    assert outcome.faults == []
    assert outcome.tried >= least
