"""Ten kinds of secret, planted where an agent might put them: never committed, told, the rest goes on."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from copies import Copies
from long import rotating
from machines import NOW, Machine, make_ada

from ctxrepo.domain.project.target import parse_target
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused
from ctxrepo.services.anchors.leave_anchor import AnchorRequest, anchor
from ctxrepo.services.notes.changing import new
from ctxrepo.services.notes.requests import NewNoteRequest
from ctxrepo.services.saving.commit import commit
from ctxrepo.storage.cache.cache import all_faults

# Put together at run time, so that no scanner of this repository takes them for real ones.
SECRETS = {
    "aws": "AKIA" + "Q3EGRZ5WTK7NPLXA",
    "github": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "gitlab": "glpat-" + "x9Kd83jLmQ2pVbN4rTyW",
    "slack": "xoxb-" + "2384756102-2384756103-aBcD3fGh1jKlMn0pQrStUvWx",
    "stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "google": "AIza" + "SyD9x2Kf83jLmQ2pVbN4rTyW7uI0oPaSdFg",
    "anthropic": "sk-ant-" + "api03-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG",
    "npm": "npm_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "url": "postgres://admin:" + "Tr0ub4dor3xY9@db.example.org/main",
    "key": "-----BEGIN OPENSSH " + "PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ",
}


@pytest.fixture
def mine(copies: Copies) -> Machine:
    return copies.of(with_a_clean_note)


def with_a_clean_note(place: Path) -> Machine:
    ada = make_ada(place)
    ada.write("shop/clean.md", "- clean\n")
    ada.sync()
    return ada


def is_committed(machine: Machine, words: str) -> bool:
    """Whether any object of the clone that a commit reaches holds the words."""
    line = words.split("\n")[0]
    run = subprocess.run(
        ["git", "log", "--all", "-p", "--format=%B", f"-S{line}"],
        cwd=machine.clone,
        env=machine.env,
        capture_output=True,
        text=True,
        check=True,
    )
    names = machine.git("log", "--all", "--name-only", "--format=")
    return bool(run.stdout.strip()) or line in names


@pytest.mark.parametrize("secret", rotating(SECRETS.values()), ids=SECRETS)
def test_a_secret_in_a_hand_edit_is_held_back_and_the_rest_goes_on(mine: Machine, secret: str) -> None:
    mine.write("shop/clean.md", f"- clean\n- the key is {secret}\n")
    mine.write("shop/other.md", "- goes on\n")
    result = mine.sync()
    assert [r.path for r in result.held] == ["shop/clean.md"]
    assert result.held[0].line in (2, 3)  # a key block is told where its body starts
    assert secret.split("\n")[0] not in str(result.held)
    assert not is_committed(mine, secret)
    assert mine.git("show", "HEAD:shop/other.md") == "- goes on"
    assert mine.git("show", "HEAD:shop/clean.md") == "- clean"
    assert secret in mine.read("shop/clean.md")
    assert any("shop/clean.md" in fault.text for fault in mine.open().cache.ask(all_faults))
    mine.write("shop/clean.md", "- clean\n- the key is in the vault\n")
    assert mine.sync().held == ()
    assert "in the vault" in mine.git("show", "HEAD:shop/clean.md")
    assert mine.open().cache.ask(all_faults) == []


@pytest.mark.parametrize("secret", rotating(SECRETS.values()), ids=SECRETS)
def test_a_secret_in_frontmatter_is_held_back(mine: Machine, secret: str) -> None:
    value = secret.replace("\n", " ")
    mine.write("shop/new.md", f'---\ndescription: "{value}"\n---\n- x\n')
    assert {r.path for r in mine.sync().held} == {"shop/new.md"}
    assert not is_committed(mine, value)


@pytest.mark.parametrize("kind", rotating(sorted(SECRETS.keys() - {"url", "key"})))
def test_a_secret_in_a_path_is_held_back(mine: Machine, kind: str) -> None:
    secret = SECRETS[kind]
    mine.write(f"shop/{secret}.md", "- x\n")
    held = mine.sync().held
    assert len(held) == 1
    assert secret not in held[0].message
    assert not is_committed(mine, secret)
    memory = mine.open()
    with pytest.raises(Refused) as caught:
        new(memory, NewNoteRequest(parse_target(f"global:{secret}.md"), "d"), None, Origin(memory.host), NOW)
    assert secret not in caught.value.message


@pytest.mark.parametrize("secret", rotating([s for k, s in SECRETS.items() if k != "key"]))
def test_a_secret_in_an_anchor_is_refused(mine: Machine, secret: str) -> None:
    memory = mine.open()
    with pytest.raises(Refused) as caught:
        anchor(memory, AnchorRequest("handover", f"use {secret} for it"), None, Origin(memory.host), NOW)
    assert secret not in caught.value.message + caught.value.hint
    commit(memory, NOW)
    assert not is_committed(mine, secret)


def test_a_secret_a_person_committed_by_hand_is_not_sent(pair: tuple[Machine, Machine]) -> None:
    ada, ben = pair
    ada.write("shop/clean.md", f"- {SECRETS['github']}\n")
    ada.git("add", ".")
    ada.git("commit", "-qm", "oops")
    result = ada.sync()
    assert (result.sent, result.held, result.remote.outcome) == (0, (), "secret")
    ben.remember("local work goes on elsewhere")
    assert ben.sync().sent == 1
    ada.sync()
    assert "goes on elsewhere" in ada.read("shop/MEMORY.md")


def test_what_is_allowed_by_fingerprint_passes(mine: Machine) -> None:
    mine.write("shop/clean.md", f"- example only: {SECRETS['aws']}\n")
    fingerprint = mine.sync().held[0].fingerprint
    config = mine.places.config_file
    config.write_text(f'{config.read_text()}\n[secrets]\nallow_secret = ["{fingerprint}"]\n')
    assert mine.sync().held == ()
    assert is_committed(mine, SECRETS["aws"])
