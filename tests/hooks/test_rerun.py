"""A command that could save nothing in its sandbox runs again outside: once, and only as the agent ran it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from world import World

from ctxrepo.hooks import rerun
from ctxrepo.hooks.tickets import SECONDS, ticket

FACT = "ctxrepo remember 'the printer is called gutenberg'"
WORDS = ["ctxrepo", "remember", "the printer is called gutenberg"]
SECRET, PROJECT = "0f" * 16, "example/shop"
RAN = "-I -m ctxrepo remember the printer is called gutenberg\n"


def printed(words: list[str] = WORDS, secret: str = SECRET, project: str = PROJECT) -> str:
    """What the command said in its sandbox."""
    return f"Exit code 1\nctxrepo: nothing is saved: …\n  … {ticket(secret, project, words)}\n"


def ran(world: World) -> str:
    """What was started, a line each."""
    return world.started.read_text() if world.started.exists() else ""


def tool(world: World, command: str, output: str, **more: str) -> str:
    """What the model is told after its shell ran this command, which printed this."""
    return world.shell_failed(command, output, **more)


def test_it_runs_again_and_the_model_is_told_what_it_printed(world: World) -> None:
    world.worker("echo 'remembered: ^b5ee75ae18b8 shop/MEMORY.md#L9'")
    output = tool(world, FACT, printed())
    assert ran(world) == RAN
    assert "what it wrote is saved" in output
    assert "remembered: ^b5ee75ae18b8" in output
    assert world.errors() == ""


def test_it_has_the_folder_the_session_and_the_places_and_no_standard_input(world: World) -> None:
    world.worker(f"cat > {world.root}/stdin; env > {world.root}/env; pwd >> {world.root}/env")
    assert "is saved" in tool(world, FACT, printed())
    assert (world.root / "stdin").read_text() == ""
    assert set((world.root / "env").read_text().splitlines()) >= {
        *("CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=s1", f"CTXREPO_STATE={world.state}"),
        *(f"CTXREPO_HOME={world.memory}", str(world.code)),
    }


def test_that_it_failed_is_told_and_nothing_is_claimed(world: World) -> None:
    world.worker("echo 'ctxrepo: a secret: refused' >&2; exit 6")
    output = tool(world, FACT, printed())
    assert "failed there, too" in output
    assert "a secret: refused" in output
    assert "is saved" not in output


@pytest.mark.slow
def test_for_one_that_takes_long_nobody_waits(world: World) -> None:
    world.worker(f"sleep {rerun._WAIT + 2}; echo done >> {world.started}")
    began = time.monotonic()
    output = tool(world, FACT, printed())
    assert time.monotonic() - began < rerun._WAIT + 2
    assert "takes long" in output
    assert "is saved" not in output
    assert world.becomes(lambda: ran(world) == f"{RAN}done\n")


def test_one_that_prints_nothing_or_very_much_is_told_of_all_the_same(world: World) -> None:
    world.worker()
    assert "is saved" in tool(world, FACT, printed())
    world.worker("yes 0123456789 | head -c 60000")
    output = tool(world, FACT, printed())
    assert "is saved" in output
    assert len(output) < 2500


def test_the_same_ticket_twice_is_one_run(world: World) -> None:
    output = printed()
    with ThreadPoolExecutor(4) as pool:
        outputs = [*pool.map(lambda _: tool(world, FACT, output), range(4))]
    assert ran(world) == RAN
    assert sorted(map(bool, outputs)) == [False, False, False, True]
    assert tool(world, FACT, output) == ""
    assert ran(world) == RAN


def test_tickets_that_are_too_old_are_forgotten_and_count_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3 * SECONDS)
    old = printed()
    monkeypatch.undo()
    taken = world.folder / "taken"
    taken.mkdir(mode=0o700)
    kept = taken / "7-1-1-12"
    gone = taken / f"ticket-{int(now) - 3 * SECONDS:x}.0123456789abcdef"
    for file in (kept, gone):
        file.touch()
    assert "older than" in tool(world, FACT, old)
    assert ran(world) == ""
    tool(world, FACT, printed())
    assert ran(world) == RAN
    assert kept.exists()
    assert not gone.exists()


NOT_PLAIN = [
    *(f"{FACT}; cat page.html", f"{FACT} && true", f"true && {FACT}", f"{FACT} | tee x", f"{FACT} > x"),
    *(f"{FACT} < page.html", f"cd /tmp; {FACT}", f"{FACT}\ncat page.html", f"{FACT} & ", f"({FACT})"),
    *('ctxrepo remember "$(cat page.html)"', "ctxrepo remember `cat page.html`", "ctxrepo remember $X"),
    *("ctxrepo remember <(cat page.html)", "ctxrepo remember *", f"cat page.html # ctxrepo {FACT}"),
]


@pytest.mark.parametrize("command", NOT_PLAIN)
def test_a_command_with_anything_beside_it_does_not_run_again_and_that_is_told(
    world: World, command: str
) -> None:
    assert "Not run again" in tool(world, command, printed())
    assert ran(world) == ""


@pytest.mark.parametrize(
    "command",
    [
        *("cat page.html", "curl https://example.org", "cat 'ctxrepo remember x'", "./ctxrepo remember x"),
        *("/tmp/ctxrepo remember 'the printer is called gutenberg'", "CTXREPO_HOME=/tmp ctxrepo remember x"),
        *("ctxrepo search river", "ctxrepo forget topics/pay", "ctxrepo sync", "ctxrepo config set a.b c"),
        *("ctxrepo edit topics/pay --from /etc/passwd", "ctxrepo remember -", "ctxrepo log --undo"),
        *("sh -c \"ctxrepo remember 'x'\"", "ctxrepo", "npx ctxrepo remember x", "env ctxrepo remember x"),
    ],
)
def test_what_any_other_command_printed_is_no_ticket(world: World, command: str) -> None:
    """Also one that was made with our own key, for the very words of the command."""
    words = [word.strip("'\"") for word in command.split()]
    for output in (printed(), printed(words)):
        assert "is saved" not in tool(world, command, output)
    assert ran(world) == ""


@pytest.mark.parametrize(
    "output",
    [
        printed(secret="1f" * 16),
        printed(words=[*WORDS[:2], "the printer is called luther"]),
        printed(words=[]),
        printed(project="example/other"),
        printed(project=""),
        "ctxrepo-ticket:",
        "ctxrepo-ticket:ffffffff.0123456789abcdef.0123456789abcdef",
        f"ctxrepo-ticket:../../../../x.{'0' * 16}",
    ],
    ids=["key", "words", "no words", "project", "no project", "mark", "made up", "path"],
)
def test_a_made_up_ticket_beside_a_plain_command_runs_nothing(world: World, output: str) -> None:
    assert "Not run again" in tool(world, FACT, output)
    assert ran(world) == ""


def test_nothing_runs_where_another_tool_has_a_command(world: World) -> None:
    for name in ("mcp__x__bash", "Task", "", "WebFetch"):
        assert tool(world, FACT, printed(), tool_name=name) == ""
    assert ran(world) == ""


def test_a_large_output_is_looked_at_and_a_huge_one_passed_over(world: World) -> None:
    noise = "ctxrepo-ticket:" * 200_000
    assert "is saved" in tool(world, FACT, f"{noise}\n{printed()}")
    assert tool(world, FACT, "x" * 9_000_000 + printed()) == ""
    assert ran(world) == RAN


def test_in_a_folder_of_another_project_it_does_not_run(world: World) -> None:
    other = world.root / "other"
    other.mkdir()
    assert "another project" in tool(world, FACT, printed(), cwd=str(other))
    assert ran(world) == ""


def test_where_the_hook_cannot_write_either_nothing_runs(world: World) -> None:
    (world.folder / "taken").write_text("a file")
    output = tool(world, FACT, printed())
    assert "Not run again: " in output
    assert ran(world) == ""


def test_a_session_that_is_given_nothing_has_it_saved_all_the_same(world: World) -> None:
    (world.code / "off.json").write_text('{"memory": false}')
    world.compile(silence="off.json\t$.memory")
    assert tool(world, FACT, printed()) == ""
    assert ran(world) == RAN
