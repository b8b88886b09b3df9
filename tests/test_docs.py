"""The pages tell the truth: what can be checked of them against the code is."""

from __future__ import annotations

import ast
import os
import re
import runpy
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_output import plain

from ctxrepo import errors
from ctxrepo.agents import dialect_of, names
from ctxrepo.domain.text import FRAME
from ctxrepo.storage.processes.lock import is_held

CHECKOUT = Path(__file__).resolve().parents[1]
DOCS = CHECKOUT / "docs"
PAGES = sorted(
    [
        *CHECKOUT.glob("*.md"),
        *(p for d in ("docs", "hooks", "skills", "templates") for p in (CHECKOUT / d).rglob("*.md")),
    ]
)
FLOORS = ("app", "services", "storage", "agents", "sources", "hooks", "domain")

_GENERATOR = runpy.run_path(str(CHECKOUT / "tools/reference.py"))
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


@pytest.mark.parametrize("name", ["cli", "configuration", "mcp-tools", "secrets", "review-keys"])
def test_generated_pages_are_up_to_date(name: str) -> None:
    expected = _GENERATOR[f"{name.removeprefix('review-').removesuffix('-tools')}_page"]()
    assert page(f"reference/{name}.md") == expected, "run `.venv/bin/python tools/reference.py`"


def test_every_command_and_option_has_its_place() -> None:
    commands = dict(_GENERATOR["commands_of"](_GENERATOR["root_command"]()))
    parts = re.split(r"^## ", page("reference/cli.md"), flags=re.MULTILINE)[1:]
    sections = dict(part.split("\n", 1) for part in parts)
    assert set(sections) == {"ctxrepo", *commands}
    for name, command in commands.items():
        assert command.help, f"{name} says nothing of itself"
        for param in command.params:
            for word in [param.metavar] if param.param_type_name == "argument" else param.opts:
                assert f"`{word}" in sections[name], f"{name} {word}"


def test_the_synopsis_puts_what_may_be_left_out_in_brackets() -> None:
    text = page("reference/cli.md")
    for usage in ("log [TEXT]", "trace [ID]", "links [TARGET]", "init [REMOTE]", "read TARGET"):
        assert f"\nctxrepo {usage} [OPTIONS]\n" in text


def test_every_setting_has_its_place() -> None:
    text = page("reference/configuration.md")
    count = 0
    for section in _GENERATOR["sections"]().values():
        for key, _, default, meaning in _GENERATOR["keys"](section):
            assert f"| `{key}` |" in text
            assert f"| `{default}` | {meaning} |" in text
            count += 1
    assert count > 15


def test_every_exit_code_is_explained() -> None:
    text = page("reference/exit-codes.md")
    kinds = [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, errors.CtxrepoError)]
    assert len(kinds) > 5
    for kind in kinds:
        assert f"| `{kind.code}` | {kind.exit_code} |" in text, kind.__name__
    for code in {0, 4, 5, 130, *(k.exit_code for k in kinds)}:
        assert re.search(rf"^\| {code} \| \w", text, re.MULTILINE), code


def test_every_event_is_explained() -> None:
    text = page("reference/hook-events.md")
    assert FRAME in text
    for dialect in filter(None, map(dialect_of, names())):
        for name, _ in dialect.events.values():
            assert re.search(rf"^\| `{name}`", text, re.MULTILINE), name


def test_every_room_is_told_as_it_tells_of_itself() -> None:
    text = page("explanation/architecture.md")
    for room in (CHECKOUT / "ctxrepo").rglob("*/__init__.py"):
        name, sentence = (
            room.parent.relative_to(CHECKOUT / "ctxrepo").as_posix(),
            ast.get_docstring(ast.parse(room.read_text("utf-8"))),
        )
        assert sentence
        assert name in (*FLOORS, "faces") or f"**`{name}/`** {sentence.splitlines()[0]}" in text


def test_every_module_has_its_phrase_in_the_picture_of_the_house() -> None:
    text = page("explanation/architecture.md").split("## The rooms")[1].split("## Three trips")[0]
    rooms = {title.strip(): below for title, _, below in (p.partition("\n") for p in text.split("### ")[1:])}
    assert set(rooms) == {"faces", *FLOORS, "the ground"}
    for floor, below in rooms.items():
        modules = set(re.findall(r"^\| `([\w/]+\.py)` \| \S", below, re.MULTILINE))
        assert modules == set(_modules(floor)), f"the room {floor} of docs/explanation/architecture.md"


def _modules(floor: str) -> Iterator[str]:
    """Files of a floor, relative to it; an `__init__.py` counts where something lives in it."""
    package = CHECKOUT / "ctxrepo"
    if floor == "the ground":
        yield from ("lazy.py", "errors.py")
        return
    is_face = floor == "faces"
    files = [*(package.glob("*.py") if is_face else ()), *(package / floor).rglob("*.py")]
    for file in files:
        if file.name not in ("lazy.py", "errors.py") and _holds_something(file):
            yield file.relative_to(package if is_face else package / floor).as_posix()


def _holds_something(file: Path) -> bool:
    """Every file but an `__init__.py` that is only there to open a folder."""
    body = ast.parse(file.read_text("utf-8")).body
    return file.name != "__init__.py" or any(isinstance(n, ast.ImportFrom | ast.FunctionDef) for n in body)


@pytest.mark.parametrize("file", PAGES, ids=lambda p: p.relative_to(CHECKOUT).as_posix())
def test_links_lead_somewhere(file: Path) -> None:
    for link in _LINK.findall(_FENCE.sub("", file.read_text("utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, heading = link.partition("#")
        target = (file.parent / path).resolve() if path else file
        assert target.exists(), f"{link} leads nowhere"
        assert target.is_relative_to(CHECKOUT), f"{link} leads out of the checkout"
        if heading:
            assert heading in _headings(target.read_text("utf-8")), f"{link} names no heading"


def _headings(text: str) -> set[str]:
    """The anchors that hosting sites give to headings."""
    titles = re.findall(r"^#+ (.+)$", _FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def test_every_page_can_be_reached_from_the_index() -> None:
    seen: set[Path] = set()
    due = [DOCS / "index.md"]
    while due:
        here = due.pop()
        if here in seen or here.suffix != ".md" or not here.is_relative_to(DOCS):
            continue
        seen.add(here)
        due += [
            (here.parent / link.partition("#")[0]).resolve()
            for link in _LINK.findall(here.read_text("utf-8"))
        ]
    assert seen == set(DOCS.rglob("*.md"))


def test_the_tutorial_works_as_written(tmp_path: Path) -> None:
    text = page("tutorial/first-memory.md")
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    script = script.replace("/tmp/first-memory", str(tmp_path / "first-memory"))
    command = tmp_path / "bin" / "ctxrepo"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{CHECKOUT}" exec "{sys.executable}" -m ctxrepo "$@"\n')
    command.chmod(0o755)
    env = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}"}
    run = subprocess.run(
        ["bash", "-eu"], input=script, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=900
    )
    assert run.returncode == 0, run.stdout + run.stderr
    _wait_for_workers(tmp_path / "first-memory")
    output = run.stdout.replace(str(tmp_path / "first-memory"), "/tmp/first-memory")
    laptop, desktop = output.split("cloned the memory repository: /tmp/first-memory/desktop")
    assert re.search(r"remembered: \^[0-9a-f]{12} shop/topics/gotcha.md#L8", laptop)
    recalled = re.findall(r"gotcha\.md#L8 \^[0-9a-f]{7}\n- \[gotcha\] Tests need", laptop)
    assert len(recalled) == 2, "beside its prompt, again after the compaction, and nothing for thanks"
    for line in ("- [ ] Ask the bank", "Next: Ask the bank, then release", "/daily/"):
        assert line in desktop[: desktop.index("done: ")], "the desktop goes on where the laptop stopped"
    note = desktop[
        desktop.index("description: Traps and the way around each") : desktop.index("nothing is set aside")
    ]
    for fact in ("redis on port 6380", "counts in cents", "CI caches", "sandbox is down"):
        assert note.count(fact) == 1, note
    _is_what_was_said(text, output + run.stderr)


def _is_what_was_said(text: str, output: str) -> None:
    """The output that a page shows is what its commands print, but for ids, numbers and what is left out."""
    known = {plain(line) for line in output.splitlines()}
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    shown = [line.partition("[…]")[0] for kind, block in blocks if not kind for line in block.splitlines()]
    assert len(shown) > 80
    for line in shown:
        # How many commits there are depends on how fast one types.
        if "memory(" not in line:
            assert any(printed.startswith(plain(line)) for printed in known), f"nothing printed {line!r}"


def _wait_for_workers(root: Path) -> None:
    """Workers of the tutorial's machines end by themselves; what they write must not outlive the test."""
    end = time.monotonic() + 60
    while time.monotonic() < end and any(map(is_held, root.glob("*/.local/state/ctxrepo/*/*.lock"))):
        time.sleep(0.1)
