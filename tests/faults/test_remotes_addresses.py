"""Addresses that could run a program or are spoken in the clear: refused, wherever they come from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from machines import Machine, make_remote
from servers.expect import failed


def hostile(trap: Path) -> list[str]:
    return [
        f"ext::sh -c touch% {trap}",
        f"ext::touch {trap}",
        f"--upload-pack=touch {trap}",
        f"-utouch {trap}",
        "fd::17",
        "http://127.0.0.1:1/x.git",
        "git://127.0.0.1:1/x.git",
        "ftp://127.0.0.1:1/x.git",
        "https://ada:hunter-7291@127.0.0.1:1/x.git",
    ]


def test_init_refuses_them(ada: Machine, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    for url in hostile(trap)[::2]:
        run = ada.process("init", *(["--"] if url.startswith("-") else []), url)
        assert run.returncode == 2, (url, run)
        assert "hunter-7291" not in run.stdout + run.stderr
        assert not trap.exists()
        assert not ada.clone.exists()


def test_a_sync_refuses_them_in_config_toml(ada: Machine, remote: Path, tmp_path: Path) -> None:
    ada.init(str(remote))
    trap = tmp_path / "sprung"
    config = ada.places.config_file
    good = config.read_text()
    for url in hostile(trap):
        config.write_text(re.sub(r'(?m)^remote = ".*"', f'remote = "{url}"', good))
        synced = ada.sync()
        assert (synced.remote.outcome, synced.remote.ok) == ("address", False), url
        assert "hunter-7291" not in synced.remote.reason
        assert not trap.exists()
    ada.write("global/topics/x.md", "- x\n")
    ada.git("remote", "set-url", "origin", url)
    run = ada.ctxrepo("sync")
    failed(run, "address")
    assert "hunter-7291" not in run.stderr + ada.ctxrepo("status").stdout + ada.ctxrepo("doctor").stdout
    config.write_text(good)
    assert ada.ctxrepo("sync").returncode == 0
    assert "hunter-7291" not in ada.ctxrepo("sync").stderr


@pytest.mark.parametrize("rewritten", ["ext::sh -c touch% {trap} ", "{other}"], ids=["ext", "file"])
def test_nor_does_the_users_own_rewriting_lead_there(
    ada: Machine, remote: Path, tmp_path: Path, rewritten: str
) -> None:
    trap = tmp_path / "sprung"
    ada.init(str(remote))
    there = rewritten.format(trap=trap, other=tmp_path / "memory.git")
    with (ada.home / ".gitconfig").open("a") as config:
        config.write(f'[url "{there}"]\n\tinsteadOf = https://git.example.org/\n')
        config.write('[protocol "ext"]\n\tallow = always\n')
    file = ada.places.config_file
    file.write_text(file.read_text().replace(str(remote), "https://git.example.org/memory.git"))
    assert ada.sync().remote.outcome == "address"
    assert not trap.exists()


def test_a_remote_beside_the_configured_one_is_never_spoken_to(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    ada, _ = pair
    (tmp_path / "other").mkdir()
    other = make_remote(tmp_path / "other")
    ada.git("remote", "set-url", "origin", str(other))
    ada.git("remote", "add", "second", str(other))
    ada.write("global/topics/x.md", "- x\n")
    assert ada.ctxrepo("sync").returncode == 0
    assert not list((other / "refs" / "heads").iterdir())
    assert "git's own remote in" in ada.ctxrepo("doctor").stdout
