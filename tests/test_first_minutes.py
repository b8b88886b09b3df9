"""docs/how-to/pi-in-five-minutes.md can't drift: it is played in the real pi, and in part without it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import CHECKOUT, PYTHONPATH
from live import install, pi, transcript
from live.pi_first_minutes import HOST, PAGE
from live.transcript import Typed, missing
from machines import Machine, make_machine, make_remote
from needs import unless
from processes import wait_for_workers
from servers.ssh import needs_sshd

# Before any test hides the environment.
AGENTS = install.root(os.environ)
TYPED = transcript.read(PAGE)

needs_pi = unless(
    ""
    if install.find(pi.NAME, pi.PACKAGE, AGENTS)
    else f"{pi.PACKAGE.wanted} isn't installed, and no test fetches it unasked: `python -m live pi` does"
)


@needs_pi
@needs_sshd
def test_the_real_pi_shows_what_the_page_does(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "live", "pi", "--form", "package", "--keep", str(tmp_path / "live")]
    env = {**os.environ, "PYTHONPATH": PYTHONPATH, "CTXREPO_LIVE": str(AGENTS)}
    run = subprocess.run(
        [*words, "pi-first-minutes"], env=env, capture_output=True, text=True, timeout=300, cwd=tmp_path
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "all well" in run.stdout


def test_ctxrepo_itself_says_what_the_page_shows_of_it(tmp_path: Path) -> None:
    """Each command and tool of the page as the package runs it, on two machines with one remote."""
    remote, machines = make_remote(tmp_path), dict[str, Machine]()
    for typed in TYPED:
        if typed.machine not in machines:
            machines[typed.machine] = make_machine(tmp_path, typed.machine)
        machine = machines[typed.machine]
        lost = [*missing(typed.shown, _answer(machine, typed.text, remote))] if typed.text[0] == "/" else []
        for tool, given in typed.calls:
            assert tool == "memory_write"
            words = ("remember", f"--category={given['category']}", "--json", "--", "-")
            fact = machine.process(*words, stdin=given["content"]).stdout
            (result,) = typed.results
            assert re.search(r'"at": ?"' + re.escape(result.split()[1]) + '"', fact), fact
        entries = [line for line in typed.given if line.startswith("- ")]
        lost += missing(entries, _recalled(machine, typed.text) if entries else "")
        assert not lost, typed.text
        wait_for_workers(machine)
    assert len(machines) == 2


def _answer(machine: Machine, line: str, remote: Path) -> str:
    command, _, rest = line.removeprefix("/memory-").partition(" ")
    run = machine.process(command, *(["--", rest.replace(f"{HOST}memory.git", str(remote))] if rest else []))
    assert run.returncode == 0, run.stderr
    return (
        run.stdout.replace(str(machine.home), "/home/ada").replace(str(remote), f"{HOST}memory.git").strip()
    )


def _recalled(machine: Machine, prompt: str) -> str:
    return machine.process("recall", "--as-prompt", prompt).stdout


def test_what_the_page_types_is_there() -> None:
    commands = (CHECKOUT / "hooks/pi/ctxrepo/commands.ts").read_text("utf-8")
    tools = (CHECKOUT / "hooks/pi/ctxrepo/tools.ts").read_text("utf-8")
    typed = {line.text.split()[0][1:] for line in TYPED if line.text.startswith("/")}
    assert typed >= {"memory-init", "memory-status", "memory-search"}
    for command in typed | set(re.findall(r"`/([\w-]+)", PAGE.read_text("utf-8"))):
        assert f'registerCommand("{command}"' in commands
    calls = [call for line in TYPED for call in line.calls]
    assert calls
    for tool, given in calls:
        there = tools.split(f'name: "{tool}"')[1].split("\n  add({")[0]
        assert all(f" {name}: " in there for name in given)


def test_it_goes_from_install_to_the_second_machine_in_both_forms() -> None:
    shell = [(line.machine, line.text) for line in TYPED if not line.is_in_pi]
    assert [machine for machine, text in shell if text.startswith("pi install")] == ["laptop", "desktop"]
    assert ("laptop", "pi install ~/src/ctxrepo") in shell
    assert ("desktop", f"pi install git:{HOST}ctxrepo") in shell
    assert TYPED[-1].machine == "desktop"
    assert any("hyena" in line for line in TYPED[-1].given)


def test_no_block_of_the_page_is_left_out() -> None:
    fences = re.findall(r"^```(\w*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert fences == ["text", ""] * (len(fences) // 2)
    assert len(TYPED) > 10


@pytest.fixture
def page(tmp_path: Path) -> Path:
    page = tmp_path / "page.md"
    page.write_text(
        "```text\nlaptop$ pi\npi> hello\n  · the model is given\n    │ - one\n    │ - two […]\n"
        'pi> /memory\nshown\n\npi> go\n  · the model calls t {"a": "b"}\n    │ done\n```\nlaptop$ no\n'
    )
    return page


def test_a_transcript_is_read(page: Path) -> None:
    first, hello, memory, go = transcript.read(page)
    assert (first.machine, first.text, first.is_in_pi) == ("laptop", "pi", False)
    assert hello == Typed("laptop", "hello", is_in_pi=True, given=["- one", "- two […]"])
    assert (memory.shown, go.calls, go.results) == (["shown"], [("t", {"a": "b"})], ["done"])


@pytest.mark.parametrize(
    ("shown", "lost"),
    [
        (["a 1 ^0123456", "c"], []),
        (["c", "a 1 ^0123456"], ["a 1 ^0123456"]),
        (["[…]", "[two more]", "b and […]", "c"], []),
        (["b"], ["b"]),
        (["x […]", "c"], ["x […]"]),
    ],
)
def test_what_is_shown_must_be_seen_in_its_order(shown: list[str], lost: list[str]) -> None:
    assert [*missing(shown, "a 2 ^abcdef0\nb and more\nc\n")] == lost
