"""What a session is told beside a prompt while there is little to answer from."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import World

from ctxrepo.hooks.known.world import UNKNOWN, stamp_of
from ctxrepo.storage.state.compiled import CompiledCheckout, record_checkout


def test_a_claim_is_told_even_where_there_is_no_cache(tmp_path: Path) -> None:
    world = World(tmp_path)
    late = tmp_path / "late"
    (late / ".git").mkdir(parents=True)
    config = late / ".git/config"
    config.write_text("[core]\n")
    world.run("SessionStart", cwd=str(late))  # nobody knows the checkout yet
    own, stamp = "example/shop", stamp_of(str(config))
    claimed = CompiledCheckout(str(late), str(config), stamp, own, "shop", own, "it was downloaded")
    record_checkout(world.state, claimed)
    assert "it was downloaded" in world.run("UserPromptSubmit", prompt="ok", cwd=str(late))
    assert world.run("UserPromptSubmit", prompt="ok", cwd=str(late)) == ""


@pytest.mark.slow
def test_each_session_is_told_once_that_nobody_can_tell_which_project_it_is_in(tmp_path: Path) -> None:
    world = World(tmp_path)
    refused = tmp_path / "refused"
    (refused / ".git").mkdir(parents=True)
    world.run("SessionStart", cwd=str(refused))
    why = "git refuses it: dubious ownership. If it is yours: `git config`."
    record_checkout(world.state, CompiledCheckout(str(refused), "", UNKNOWN, "", "", "", why))
    output = world.run("UserPromptSubmit", prompt="ok", cwd=str(refused))
    assert "dubious ownership. If it is yours: `git config`. So it isn't known which project" in output
    assert "ctxrepo project trust" not in output
    assert world.run("UserPromptSubmit", prompt="ok", cwd=str(refused)) == ""
