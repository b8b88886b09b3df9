"""What of a project's code a text names, and what is no name."""

from __future__ import annotations

import time

import pytest

from ctxrepo.domain.doubts.names import Names, names_in, parts_of, steady


@pytest.mark.parametrize(
    ("text", "paths", "symbols", "commands"),
    [
        ("Retries live in `src/pay.py`.", ["src/pay.py"], [], []),
        (
            "See src/core/agent.ts:42, docs/a.md#L3-L9 and pay.py.",
            ["src/core/agent.ts", "docs/a.md", "pay.py"],
            [],
            [],
        ),
        ("The folder src/api/ and `lib/core`", ["lib/core", "src/api/"], [], []),
        ("A link to [it](./docs/guide.md#part)", ["docs/guide.md"], [], []),
        ("`src/größe.py` und src/支払い.py", ["src/größe.py", "src/支払い.py"], [], []),
        ("`Makefile`, Dockerfile", ["Makefile", "Dockerfile"], [], []),
        (
            "`retry_policy`, `Client.send()`, `MAX_RETRIES`",
            [],
            ["retry_policy", "Client.send", "MAX_RETRIES"],
            [],
        ),
        (
            "the retry_policy calls send_all() and `$client->sendAll(1)`",
            [],
            ["$client->sendAll", "retry_policy", "send_all"],
            [],
        ),
        (
            "run `make deploy lint` and `npm run build:all`",
            [],
            [],
            ["make deploy", "make lint", "npm run build:all"],
        ),
        ("`pnpm check`, `just fmt`, `yarn add left-pad`", [], [], ["just fmt", "pnpm check"]),
    ],
)
def test_names(text: str, paths: list[str], symbols: list[str], commands: list[str]) -> None:
    names = names_in(text)
    assert (sorted(names.paths), [*names.symbols], sorted(names.commands)) == (
        sorted(paths),
        symbols,
        sorted(commands),
    )


@pytest.mark.parametrize(
    "text",
    [
        "see https://example.org/src/pay.py and git@host:ada/shop.git or ada@shop.io",
        "`src/**/*.ts`, `{a,b}/c.py`, `<name>/x.py`, `src/[id]/page.tsx`",
        "`path/to/file.py`, `your_module`, `foo.py`, `my_var`",
        "and/or, either/or, 3/4, TCP/IP, client and server",
        "`dist/app.js`, `node_modules/x/y.js`, `.venv/bin/python`, `.cache/`",
        "```\nsrc/pay.py\nretry_policy()\n```",
        "`npm install`, `git status`, `make X=1`, make sure, just do it",
        "`true`, `ok`, `a`, `--flag`, `$_.Name`, `%s`, `'text'`",
        "config.yaml, index.js and settings.json are everywhere",
        "/etc/hosts and ~/.bashrc",
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert not names_in(text), names_in(text)


def test_the_words_of_a_symbol_that_tell_something() -> None:
    assert parts_of("Client.send") == ["Client", "send"]
    assert parts_of("a.b::to_json") == ["to_json"]


@pytest.mark.parametrize(
    "sentence",
    [
        "`old_name` was removed in favour of `new_name`.",
        "Use `new_name` instead of `old_name`",
        "`old_name` wurde entfernt",
        "`old_name` 已删除",
    ],
)
def test_a_sentence_that_tells_of_a_change_names_nothing(sentence: str) -> None:
    both = f"{sentence}\n`steady_name` stays. It holds."
    assert names_in(steady(both)).symbols == ("steady_name",)
    assert steady("`steady_name` stays.") == "`steady_name` stays."


@pytest.mark.parametrize(
    "text",
    [
        "a@" * 10_000,
        "_" * 20_000,
        "`" * 20_000,
        "a/" * 10_000,
        "make " + "a " * 10_000,
        "(" * 20_000,
        "a_" * 10_000,
    ],
)
def test_time_is_in_proportion_to_the_length(text: str) -> None:
    began = time.process_time()
    assert isinstance(names_in(steady(text)), Names)
    assert time.process_time() - began < 1
