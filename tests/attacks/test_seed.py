"""A short run of what `make attacks` does at length: all keys at once, and three that lead elsewhere."""

from __future__ import annotations

from attacks.attack import attack
from attacks.carriers import CARRIERS
from attacks.keys import batches
from attacks.orders import FEW
from attacks.stage import Stage
from needs import needs_proc
from servers.ssh import needs_sshd


@needs_sshd
@needs_proc
def test_no_key_in_any_place_touches_a_canary(stage: Stage) -> None:
    """All keys at once in the clone's configuration, and those that lead elsewhere in three other places."""
    tried = 0
    for place, apart in (
        (".git/config", ""),
        (".git/config.worktree", "sent elsewhere"),
        (".git/commondir", "address, foreign"),
    ):
        done = attack(stage, f"{place}, {apart}", CARRIERS[place], batches()[apart], FEW)
        assert done.faults == []
        tried += done.tried
    assert tried > 2_000
