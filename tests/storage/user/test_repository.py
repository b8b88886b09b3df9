"""Which repository is served, and where its state is."""

from __future__ import annotations

from machines import Machine

from ctxrepo.hooks.session.ledger import OLD_FOLDER, ledger_path
from ctxrepo.hooks.session.record import read_ledger


def test_who_opens_a_memory_moves_ledgers_that_an_earlier_version_left_below_its_state(ada: Machine) -> None:
    ada.init()
    memory = ada.open()
    former = memory.state.root / OLD_FOLDER
    former.mkdir(mode=0o700)
    (former / "claude-s-1").write_text("entry abc h1\n")
    memory = ada.open()
    assert not former.exists()
    path = ledger_path(str(memory.places.state), "claude", "s-1")
    assert read_ledger(path, memory.state.id).entries == {"abc": "h1"}
