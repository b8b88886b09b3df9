"""What was acknowledged is in view whatever keeps it from a commit: a signature, a person, the guard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from copies import Copies
from machines import NOW, Machine, make_ada

from ctxrepo.errors import RepositoryState, Uncommitted
from ctxrepo.services.faults.faults import standing
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.entries import entries_of_scopes
from ctxrepo.storage.git import committer

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
NOTE = "shop/topics/gotcha.md"

FAILS = "exit 2"
WAITS = "exec sleep 600"
SIGNS = """
printf '%s\\n' '-----BEGIN PGP SIGNATURE-----' '' 'aGVsbG8=' '-----END PGP SIGNATURE-----'
echo '[GNUPG:] SIG_CREATED D 1' >&2"""


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(with_a_note)


def with_a_note(place: Path) -> Machine:
    ada = make_ada(place)
    ada.write(NOTE, "# T\n\n- base\n")
    commit(ada.open(), NOW)
    return ada


def signer(machine: Machine, act: str) -> Path:
    """From now on this signs; the file has a line for each call: whether the write lock was free then."""
    program, log = machine.home / "signer", machine.home / "signer.log"
    lock = machine.open().state.lock("write")
    program.write_text(f"#!/bin/sh\nflock -n {lock} echo free >> {log} || echo held >> {log}\n{act}\n")
    program.chmod(0o755)
    machine.git("config", "--global", "commit.gpgsign", "true")
    machine.git("config", "--global", "gpg.program", str(program))
    log.touch()
    return log


def seen(machine: Machine) -> str:
    """What sessions and searches find in the cache."""
    return "\n".join(
        cached.entry.text for cached in machine.open().cache.ask(entries_of_scopes, ["shop", "global"])
    )


def told(machine: Machine) -> list[str]:
    return [fault.fault for fault in standing(machine.open())]


@pytest.mark.parametrize("program", [FAILS, ""], ids=["it fails", "it isn't there"])
@pytest.mark.parametrize("form", ["openpgp", "ssh"])
def test_what_waits_for_a_signature_is_in_view_and_sessions_are_told(
    mine: Machine, program: str, form: str
) -> None:
    signer(mine, FAILS)
    mine.git("config", "--global", "gpg.format", form)
    mine.git("config", "--global", "user.signingkey", "none")
    if not program:
        mine.git("config", "--global", "gpg.program", "/nowhere/gpg")
        mine.git("config", "--global", "gpg.ssh.program", "/nowhere/keygen")
    before = mine.git("rev-parse", "HEAD")
    mine.remember("redis listens on 6380")
    mine.remember("never push on fridays", pin=True)
    mine.write(NOTE, "# T\n\n- base\n- added by hand\n")
    with pytest.raises(Uncommitted):
        commit(mine.open(), NOW)
    assert mine.git("rev-parse", "HEAD") == before
    for words in ("redis listens on 6380", "never push on fridays", "added by hand"):
        assert words in seen(mine)
    (fault,) = told(mine)
    assert "could not be signed" in fault
    assert "redis listens on 6380" in mine.ctxrepo("search", "redis").stdout
    assert "could not be signed" in mine.ctxrepo("status").stdout


@pytest.mark.slow
def test_a_signer_that_waits_for_a_passphrase_holds_up_nobody(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = signer(mine, WAITS)
    monkeypatch.setattr(committer, "SIGN_SECONDS", 0.5)
    mine.remember("redis listens on 6380")
    mine.worker().run()
    assert log.read_text() == "free\n"
    mine.ctxrepo("search", "redis")
    assert log.read_text() == "free\n"  # a reader never asks for a signature
    assert "redis listens on 6380" in seen(mine)
    assert "no answer in time" in told(mine)[0]


def test_a_worker_leaves_a_signer_alone_that_has_just_failed(mine: Machine) -> None:
    log = signer(mine, FAILS)
    memory = replace(mine.open(), is_background=True)
    for number in range(3):
        mine.remember(f"fact {number} about redis")
        with pytest.raises(Uncommitted):
            commit(memory, NOW)
        assert f"fact {number}" in seen(mine)
    assert log.read_text() == "free\n"
    assert mine.ctxrepo("sync").returncode  # who asks for it is answered
    assert log.read_text() == "free\nfree\n"


def test_when_the_key_is_back_all_is_committed_and_nothing_is_told(mine: Machine) -> None:
    signer(mine, FAILS)
    mine.remember("redis listens on 6380")
    with pytest.raises(Uncommitted, match="could not be signed"):
        commit(mine.open(), NOW)
    mine.write(NOTE, "# T\n\n- base\n- added by hand\n")
    log = signer(mine, SIGNS)
    mine.sync()
    assert set(log.read_text().split()) == {"free"}
    assert "gpgsig" in mine.git("cat-file", "commit", "HEAD")
    assert "6380" in mine.git("show", "HEAD:shop/MEMORY.md")
    assert "added by hand" in mine.git("show", f"HEAD:{NOTE}")
    assert told(mine) == []
    assert mine.open().journal.is_settled()
    assert mine.open().cache.tree == mine.tree()


def test_what_is_written_while_a_person_is_on_another_branch_is_in_view(mine: Machine) -> None:
    mine.git("switch", "-q", "-c", "elsewhere")
    mine.write(NOTE, "# T\n\n- base\n- of the other branch\n")
    mine.git("commit", "-qam", "by a person")
    mine.remember("redis listens on 6380", category="gotcha")
    with pytest.raises(RepositoryState):
        commit(mine.open(), NOW)
    assert "redis listens on 6380" in seen(mine)
    assert "of the other branch" not in seen(mine)


def test_of_a_file_that_is_held_back_what_commands_wrote_is_in_view(mine: Machine) -> None:
    mine.remember("acknowledged", category="gotcha")
    mine.write(NOTE, mine.read(NOTE) + f"- the token is {TOKEN}\n")
    assert commit(mine.open(), NOW).held
    assert "acknowledged" in seen(mine)
    assert TOKEN not in seen(mine)
    mine.open().cache.clear()
    mine.ctxrepo("cache", "rebuild")
    assert "acknowledged" in seen(mine)


def test_commands_go_on_beside_a_secret_that_was_edited_in_and_bring_none_themselves(mine: Machine) -> None:
    held = f"- token {TOKEN}\n"
    mine.write(NOTE, mine.read(NOTE) + held)
    assert mine.ctxrepo("forget", "shop:topics/gotcha.md#L3").returncode == 0
    assert mine.ctxrepo("remember", "redis listens on 6380", "--note", "shop:topics/gotcha").returncode == 0
    again = mine.ctxrepo("remember", f"the token is {TOKEN}", "--note", "shop:topics/gotcha")
    assert (again.returncode, "gotcha.md#L5 was not written" in again.stderr) == (6, True)
    assert [refusal.line for refusal in commit(mine.open(), NOW).held] == [3]
    assert seen(mine) == "- redis listens on 6380"
    mine.write(NOTE, mine.read(NOTE).replace(held, ""))
    assert commit(mine.open(), NOW).held == ()
    assert mine.git("show", f"HEAD:{NOTE}") == "# T\n\n- redis listens on 6380"
    assert TOKEN not in mine.git("log", "-p", "--all")


@pytest.mark.parametrize("spoilt", ["<<<<<<< ours\n", '[projects\n"x" = 1\n', "\0"])
def test_a_registry_that_nobody_can_read_stays_on_the_machine_where_it_was_spoilt(
    pair: tuple[Machine, Machine], spoilt: str
) -> None:
    """On all others commands would end, and no session would be told of its project."""
    ada, ben = pair
    registry = ada.clone / "ctxrepo.toml"
    good = registry.read_text()
    registry.write_text(good + spoilt)
    ada.write("global/other.md", "- written meanwhile\n")
    done = ada.ctxrepo("sync")
    assert (done.returncode, "ctxrepo.toml is held back: not readable TOML" in done.stderr) == (6, True)
    assert any("ctxrepo.toml is held back" in line for line in told(ada))
    assert ben.ctxrepo("sync").returncode == 0
    assert ben.read("ctxrepo.toml") == good
    assert ben.read("global/other.md") == "- written meanwhile\n"
    registry.write_text(good)
    assert ada.ctxrepo("sync").returncode == 0
    assert told(ada) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["move", "rename", "forget"])
def test_what_waits_in_a_held_note_is_in_view_wherever_another_machine_puts_the_note(
    pair: tuple[Machine, Machine], how: str
) -> None:
    ada, ben = pair
    note = "shop/topics/pay.md"
    ada.write(note, "- The river service listens on port 602\n")
    ada.sync()
    ben.sync()
    ben.write(note, ben.read(note) + f"- the token is {TOKEN}\n")
    assert ben.sync().held
    ben.ctxrepo("remember", "Zebra crossing opens at nine", "--note", "topics/pay.md")
    words = {
        "move": ["move", "topics/pay.md", "topics/ports.md"],
        "rename": ["project", "rename", "store"],
        "forget": ["forget", "shop:topics/pay.md"],
    }
    assert ada.ctxrepo(*words[how]).returncode == 0
    ada.sync()
    place = {"move": "shop/topics/ports.md", "rename": "store/topics/pay.md", "forget": note}[how]
    assert [refusal.path for refusal in ben.sync().held] == [place]
    assert f"{place}#" in ben.ctxrepo("search", "zebra").stdout
    lines = [line for line in ben.read(place).splitlines(keepends=True) if TOKEN not in line]
    ben.write(place, "".join(lines))
    ben.sync()
    ada.sync()
    assert ada.tree() == ben.tree()
    holding = [path for path in ada.clone.rglob("*.md") if "Zebra" in path.read_text()]
    assert holding == [ada.clone / place]
    assert "port 602" in ada.read(place)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["forget", "move"])
def test_a_secret_that_a_person_takes_out_of_a_held_note_stays_out(
    pair: tuple[Machine, Machine], how: str
) -> None:
    ada, ben = pair
    ada.write("shop/topics/pay.md", "- The river service listens on port 602\n- The wiki is on port 700\n")
    ada.sync()
    ada.write("shop/topics/pay.md", ada.read("shop/topics/pay.md") + f"- the token is {TOKEN}\n")
    assert ada.sync().held
    ada.ctxrepo(how, "shop:topics/pay.md#L1", *(["shop:topics/other.md"] if how == "move" else []))
    lines = [line for line in ada.read("shop/topics/pay.md").splitlines() if TOKEN not in line]
    ada.write("shop/topics/pay.md", "\n".join(lines) + "\n")
    assert not ada.sync().held
    ben.sync()
    assert ada.tree() == ben.tree()
    assert TOKEN not in ada.read("shop/topics/pay.md")
    assert "602" not in ben.read("shop/topics/pay.md")
    assert "700" in ben.read("shop/topics/pay.md")


def test_search_names_the_lines_of_the_file_that_is_held_back(mine: Machine) -> None:
    mine.write(NOTE, f"# T\n\n- key {TOKEN}\n- base\n")
    mine.ctxrepo("sync")
    mine.ctxrepo("remember", "the otter swims", "--note", "topics/gotcha.md")
    mine.ctxrepo("sync")
    for words in ("base", "otter"):
        (hit,) = mine.json("search", words)["data"]["hits"]
        line = mine.read(NOTE).splitlines()[int(hit["at"].partition("#L")[2]) - 1]
        assert words in line
