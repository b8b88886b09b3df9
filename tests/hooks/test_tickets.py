"""A ticket counts for the words that our program was given, in their project, for minutes; plain lines."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents import permissions
from ctxrepo.hooks import tickets
from ctxrepo.hooks.tickets import SECONDS, adds, number_in, ticket, words_of

SECRET, PROJECT = "0f" * 16, "example.org/shop"
WORDS = ["ctxrepo", "remember", "Port 700 is the wiki's"]


def test_a_ticket_is_found_in_what_a_command_printed_wherever_it_stands() -> None:
    made = ticket(SECRET, PROJECT, WORDS)
    for output in (made, f"x\n{made}\n", f'{{"hint": "… {made}"}}', f"{made}.", f"ctxrepo-ticket:x {made})"):
        assert made.startswith(f"ctxrepo-ticket:{number_in(output, SECRET, PROJECT, WORDS)}.")


@pytest.mark.parametrize(
    "other",
    [
        ("1f" * 16, PROJECT, WORDS),
        (SECRET, "example.org/other", WORDS),
        (SECRET, "", WORDS),
        (SECRET, PROJECT, [*WORDS[:2], "Port 701 is the wiki's"]),
        (SECRET, PROJECT, [*WORDS, "--pin"]),
        (SECRET, PROJECT, [*WORDS[:2], "Port", "700 is the wiki's"]),
    ],
)
def test_it_counts_for_nothing_else(other: tuple[str, str, list[str]]) -> None:
    assert number_in(ticket(SECRET, PROJECT, WORDS), SECRET, PROJECT, WORDS)
    assert not number_in(ticket(SECRET, PROJECT, WORDS), *other)


@pytest.mark.parametrize("cut", [3, 15, 20, 32, 40])
def test_a_piece_of_one_counts_for_nothing(cut: int) -> None:
    made = ticket(SECRET, PROJECT, WORDS)
    assert not number_in(made[:-cut], SECRET, PROJECT, WORDS)


def test_it_counts_for_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    made, now = ticket(SECRET, PROJECT, WORDS), time.time()
    for passed, counts in {SECONDS - 2: True, SECONDS + 2: False, -SECONDS - 2: False}.items():
        monkeypatch.setattr(time, "time", lambda passed=passed: now + passed)
        assert bool(number_in(made, SECRET, PROJECT, WORDS)) == counts


def test_what_may_be_run_again_is_what_rules_may_let_out_of_a_sandbox() -> None:
    assert tickets.ADDING == permissions.ADDING


@pytest.mark.parametrize(
    "line",
    [
        "ctxrepo remember x --category gotcha",
        "ctxrepo scratch add x",
        "ctxrepo edit topics/pay --old a --new b",
        "ctxrepo handoff x --next y",
    ],
)
def test_what_adds_may_be_run_again(line: str) -> None:
    assert adds(line.split())


@pytest.mark.parametrize(
    "line",
    [
        *("ctxrepo", "ctxrepo forget topics/pay", "ctxrepo sync", "ctxrepo config set sync.retries 3"),
        *(
            "ctxrepo scratch clear",
            "ctxrepo scratch",
            "ctxrepo setup codex",
            "ctxrepo import x",
            "ctxrepo tape",
        ),
        *("./ctxrepo remember x", "/tmp/ctxrepo remember x", "notctxrepo remember x", "sh -c x"),
        *("ctxrepo edit topics/pay --from /etc/passwd", "ctxrepo edit topics/pay --from=/etc/passwd"),
        *("ctxrepo new topics/x --from -", "ctxrepo remember -", "ctxrepo log --undo"),
    ],
)
def test_nothing_else_may(line: str) -> None:
    assert not adds(line.split())


PLAIN = {
    "ctxrepo remember 'the printer is called gutenberg'": ["the printer is called gutenberg"],
    'ctxrepo remember "the printer\'s \\"name\\" costs \\$5" ': ['the printer\'s "name" costs $5'],
    "ctxrepo remember 'it'\\''s here'": ["it's here"],
    "ctxrepo remember Häuser\\ in\\ Köln topics/pay#L9 ^b5ee75": [
        "Häuser in Köln",
        "topics/pay#L9",
        "^b5ee75",
    ],
    "ctxrepo remember 'two\nlines; $(not run) | `nor this`' \"\"": [
        "two\nlines; $(not run) | `nor this`",
        "",
    ],
    'ctxrepo remember "a regex \\d+ & more"\n': ["a regex \\d+ & more"],
}


@pytest.mark.parametrize("line", PLAIN)
def test_a_plain_line_is_read_as_a_shell_reads_it(line: str) -> None:
    assert words_of(line) == ["ctxrepo", "remember", *PLAIN[line]]


@pytest.mark.parametrize(
    "more",
    [
        *(
            "; cat x",
            "&& cat x",
            "|| true",
            "| tee x",
            "& cat x",
            "\ncat x",
            "> x",
            "< x",
            "<<E\nx\nE",
            "2>&1",
        ),
        *('"$(cat x)"', '"`cat x`"', '"$HOME"', "$HOME", "`cat x`", "~/x", "*.md", "x?", "[a]x", "{a,b}"),
        *("# and so on", "=x", "!x", "'no end", '"no end', "x\\", '"a\\\nb"', "(x)", "a=$b", "$'x'", "\\n"),
    ],
)
@pytest.mark.parametrize("form", ["ctxrepo remember x {}", "{} ctxrepo remember x"])
def test_a_line_that_is_more_is_no_command_of_ours(form: str, more: str) -> None:
    assert not adds(words_of(form.format(more)))


def test_a_huge_line_has_no_words() -> None:
    assert words_of(f"ctxrepo remember {'x' * 1000}")
    assert words_of(f"ctxrepo remember {'x' * 200_000}") == []


SHELLS = [shell for name in ("bash", "dash", "zsh") if (shell := shutil.which(name))]
PIECES = st.sampled_from(
    [*" \t\n'\"\\$`;&|<>(){}[]*?!#~=^%@,.:-+xö", "ctxrepo ", "$HOME", "\\'", '\\"', "--pin"]
)


@pytest.mark.parametrize("shell", SHELLS)
@given(line=st.lists(PIECES, max_size=12).map("".join))
def test_a_line_that_has_words_runs_our_program_with_these_and_nothing_else(shell: str, line: str) -> None:
    words = words_of(f"ctxrepo {line}")
    if not words:
        return
    script = f"ctxrepo() {{ printf '%s\\0' ctxrepo \"$@\"; }}\nctxrepo {line}"
    done = subprocess.run([shell, "-c", script], capture_output=True, env={"LANG": "C.UTF-8"}, check=False)
    assert done.stdout.decode().split("\0")[:-1] == words


@given(
    words=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20), min_size=1)
)
def test_what_is_quoted_as_shells_want_it_is_read_back(words: list[str]) -> None:
    """But for a word that begins with `=`: shlex leaves it as it is, and zsh replaces it."""
    words = [word for word in words if not word.startswith("=")]
    assert words_of(shlex.join(["ctxrepo", *words])) == ["ctxrepo", *words]
