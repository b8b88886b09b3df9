"""Completion in real shells: Tab is pressed in a terminal, and the command gets what was completed."""

from __future__ import annotations

import pytest
from machines import Machine
from needs import lacks, unless
from prompt import SHELLS, Prompt, script

shells = pytest.mark.parametrize("shell", [pytest.param(name, marks=unless(lacks(name))) for name in SHELLS])


@pytest.fixture
def known(ada: Machine) -> Machine:
    """A memory whose cache knows a note with a blank in its name."""
    ada.init()
    ada.remember("redis is on port 6380", category="gotcha")
    ada.write("global/topics/on call.md", "---\ndescription: Who to wake\ntags: [rota]\n---\n- Ada\n")
    ada.sync()
    return ada


@shells
def test_what_is_typed_halfway_is_completed(shell: str, known: Machine) -> None:
    (known.project_folder / "body.md").write_text("- x\n")
    with Prompt(shell, known) as prompt:
        prompt.run(f"source {script(shell, known)}")
        for keys, given in (
            ("ctxrepo lis\t--sco\tglo\t", ["list", "--scope", "global"]),
            ("ctxrepo read topics/got\t", ["read", "topics/gotcha.md"]),
            ("ctxrepo read topics/on\t", ["read", "topics/on call.md"]),
            ("ctxrepo read global:MEM\t", ["read", "global:MEMORY.md"]),
            ("ctxrepo read global:topics/on\t", ["read", "global:topics/on call.md"]),
            ("ctxrepo read shop/t\t", ["read", "shop/topics/gotcha.md"]),
            ("ctxrepo list --scope=glo\t", ["list", "--scope=global"]),
            ("ctxrepo list --tag ro\t", ["list", "--tag", "rota"]),
            ("ctxrepo config s\tsync.tim\t9", ["config", "set", "sync.timeout", "9"]),
            ("ctxrepo new x --from bod\t", ["new", "x", "--from", "body.md"]),
        ):
            assert (keys, prompt.complete(keys)[0]) == (keys, given)


@shells
def test_several_are_shown(shell: str, known: Machine) -> None:
    with Prompt(shell, known) as prompt:
        prompt.run(f"source {script(shell, known)}")
        _, shown = prompt.complete("ctxrepo conf\t" + ("\t" if shell == "bash" else ""))
        assert "config" in shown
        assert "conflicts" in shown


@shells
def test_before_init_nothing_is_offered_said_or_made(shell: str, ada: Machine) -> None:
    file = script(shell, ada)
    with Prompt(shell, ada) as prompt:
        prompt.run(f"source {file}")
        before = {p for p in ada.home.rglob("*") if "ctxrepo" in p.name}
        given, shown = prompt.complete("ctxrepo read zzz\t")
        assert given == ["read", "zzz"]
        assert not any(word in shown for word in ("Traceback", "rror", "ctxrepo:"))
        assert {p for p in ada.home.rglob("*") if "ctxrepo" in p.name} == before


@shells
def test_nothing_is_imported_from_where_one_stands(shell: str, known: Machine) -> None:
    trap = known.project_folder / "typer.py"
    trap.write_text("open('sprung', 'w').close()\n")
    (known.project_folder / "ctxrepo.py").write_text(trap.read_text())
    with Prompt(shell, known) as prompt:
        prompt.run(f"source {script(shell, known)}")
        assert prompt.complete("ctxrepo lis\t")[0] == ["list"]
    assert not (known.project_folder / "sprung").exists()


@unless(lacks("zsh"))
def test_zsh_finds_it_in_a_folder_of_functions_too(known: Machine) -> None:
    functions = known.home / "functions"
    functions.mkdir()
    script("zsh", known).rename(functions / "_ctxrepo")
    with Prompt("zsh", known) as prompt:
        prompt.run(f"fpath+={functions}; autoload -Uz compinit; compinit")
        assert prompt.complete("ctxrepo lis\t--sco\tglo\t")[0] == ["list", "--scope", "global"]
