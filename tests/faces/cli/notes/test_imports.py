"""import: what other programs keep is shown, brought once, and left there as it was."""

from __future__ import annotations

import json
import os
import pty
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pisources
import pytest
from long import rotating
from machines import NOW, Machine
from pirepo import PiMachine, make_pi_machine
from terminal import Terminal

from ctxrepo.services.saving.commit import commit

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def everything(folder: Path) -> dict[str, bytes | str]:
    """Every byte below a folder; of links, where they lead."""
    return {
        str(p): os.readlink(p) if p.is_symlink() else p.read_bytes()
        for p in folder.rglob("*")
        if p.is_symlink() or p.is_file()
    }


def all_of_pi(machine: Machine) -> None:
    pisources.pi_memory(machine)
    pisources.checkout_memory(machine)
    pisources.pi_facts(machine)
    pisources.scored(machine)


def notes_of(machine: Machine) -> dict[str, bytes | str]:
    files = everything(machine.clone)
    return {path: data for path, data in files.items() if "/.git/" not in path}


def test_without_a_source_it_lists_what_there_is(cli: Terminal) -> None:
    assert cli("import").out == "nothing of another memory program is here\n"
    all_of_pi(cli.machine)
    assert cli("import").out.splitlines() == [
        "pi-memory: ~/.pi/agent/memory: 6 notes, 13 entries",
        "  ctxrepo import pi-memory",
        "pi-memory: ~/shop/.pi/memory: 1 note, 1 entry",
        "  ctxrepo import pi-memory",
        "pi-memory: ~/.pi/memory/memory.db: 6 notes, 7 entries",
        "  ctxrepo import pi-memory",
        "scored: ~/shop/.pi/memory: 3 notes, 4 entries",
        "  ctxrepo import scored",
    ]
    sources = cli("import", "--json").data["found"]
    assert [(source["source"], source["entries"]) for source in sources] == [
        ("pi-memory", 13),
        ("pi-memory", 1),
        ("pi-memory", 7),
        ("scored", 4),
    ]


def test_it_lists_before_there_is_a_memory_and_brings_nothing(fresh: Terminal) -> None:
    all_of_pi(fresh.machine)
    assert "pi-memory: ~/.pi/agent/memory: 6 notes" in fresh("import").out
    answer = fresh("import", "pi-memory", "--yes")
    assert (answer.code, answer.is_one_line()) == (1, True)
    assert not fresh.machine.clone.exists()


def test_nothing_is_done_unasked_where_nobody_can_answer(cli: Terminal) -> None:
    all_of_pi(cli.machine)
    before = everything(cli.machine.home)
    for words in (["import", "pi-memory"], ["import", "scored"]):
        answer = cli(*words)
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert "--dry-run" in answer.err
        assert "--yes" in answer.err
    assert cli("import", "pi-memory", "--dry-run").code == 0
    after = {
        path: data for path, data in everything(cli.machine.home).items() if "/.local/state/" not in path
    }
    assert after == {path: data for path, data in before.items() if "/.local/state/" not in path}


def test_what_is_brought_is_found_by_the_commands_for_it(cli: Terminal) -> None:
    all_of_pi(cli.machine)
    there = everything(cli.machine.home / ".pi")
    answer = cli("import", "pi-memory", "--yes")
    assert answer.code == 0
    assert answer.out.splitlines()[-1] == "brought 21 entries in 13 notes, 12 of them new"
    assert everything(cli.machine.home / ".pi") == there

    shown = cli("log", "--date", "2026-02-15", "-s", "global").out
    assert shown.strip() == pisources.DAILY.strip()
    assert cli("log", "--list", "-s", "global").out == "2026-02-15\n2026-02-14\n"
    items = cli("scratch", "list", "-s", "global", "--all", "--json").data["items"]
    assert [(item["text"], item["done"]) for item in items] == [
        ("Fix the auth bug", False),
        ("Review pull request 42", True),
        ("Ask Ben about the cache", False),
    ]
    assert "Neovim, and no tabs" in cli("recall", "which editor does the user like").out
    assert "Tuesdays" in cli("search", "Tuesdays").out
    assert cli.machine.read("shop/topics/fact.md").endswith(
        "- [fact] project.shop.deploy: make ship, from the main branch only\n"
    )
    assert cli.machine.read("global/topics/lesson.md").endswith(
        "- [lesson] Run the tests before a push #git\n- [lesson] Don't: Use sudo in containers\n"
    )
    assert '"git.example.org/ada/shop" = "shop"' in cli.machine.read("ctxrepo.toml")
    assert "1 entry of project other" in answer.out
    assert "1 lesson: deleted there" in answer.out


@pytest.mark.parametrize("source", ["pi-memory", "scored"])
def test_a_second_time_changes_nothing_and_a_third_brings_what_is_new(cli: Terminal, source: str) -> None:
    all_of_pi(cli.machine)
    assert cli("import", source, "--yes").code == 0
    commit(cli.machine.open(), NOW)
    before = notes_of(cli.machine)
    answer = cli("import", source)
    assert (answer.code, answer.out.splitlines()[-1]) == (0, f"nothing of {source} is new here")
    assert cli("import", source, "--yes", "--json").data["applied"] is False
    assert notes_of(cli.machine) == before
    folder = cli.machine.home / ".pi/agent/memory" if source == "pi-memory" else cli.machine.project_folder
    file = folder / ("MEMORY.md" if source == "pi-memory" else ".pi/memory/topics/lessons.md")
    file.write_text(file.read_text() + "- [lesson] A lesson of today\n")
    answer = cli("import", source, "--yes")
    assert answer.out.splitlines()[-1] == "brought 1 entry in 1 note"


def test_what_is_here_already_stays_to_the_byte_and_is_added_to(cli: Terminal) -> None:
    mine = (
        "---\ndescription: mine\n---\n\n# Mine\n\n## Build\n\n- `make check` runs before each commit\n- own\n"
    )
    cli.machine.write("global/MEMORY.md", mine)
    cli.machine.write("global/SCRATCHPAD.md", "# To do\n\n- [ ] Review pull request 42\n- [ ] mine\n")
    pisources.pi_memory(cli.machine)
    assert "MEMORY.md -> global/MEMORY.md: 3 new, 1 here already" in cli("import", "pi-memory", "--yes").out
    assert cli.machine.read("global/MEMORY.md").startswith(mine)
    assert cli.machine.read("global/SCRATCHPAD.md") == (
        "# To do\n\n- [ ] Review pull request 42\n- [ ] mine\n\n"
        "<!-- 2026-02-15 14:00:00 [a1b2c3d4] -->\n- [ ] Fix the auth bug\n- [ ] Ask Ben about the cache\n"
    )


def test_what_was_forgotten_or_changed_here_does_not_come_again(cli: Terminal) -> None:
    cli.machine.write("global/MEMORY.md", "# Mine\n\n## Build\n\n- own\n")
    pisources.pi_memory(cli.machine)
    pisources.pi_facts(cli.machine)
    cli("import", "pi-memory", "--yes")
    commit(cli.machine.open(), NOW)
    for words in (
        ("forget", "global:MEMORY#L10"),
        ("edit", "global:MEMORY#L6", "--old", "before each", "--new", "ahead of every"),
        ("edit", "global:topics/preference#L8", "--old", "no tabs", "--new", "never a tab"),
    ):
        assert cli(*words).code == 0, words
    text = cli.machine.read("global/topics/tool.md").replace("use it for searches", "use it for all searches")
    cli.machine.write("global/topics/tool.md", text)
    commit(cli.machine.open(), NOW)
    before = notes_of(cli.machine)
    assert cli("import", "pi-memory", "--yes").out.splitlines()[-1] == "nothing of pi-memory is new here"
    assert notes_of(cli.machine) == before


def test_a_note_that_was_archived_here_does_not_come_again(cli: Terminal) -> None:
    pisources.pi_memory(cli.machine)
    cli("import", "pi-memory", "--yes")
    assert cli("archive", "global:build").code == 0
    assert cli("import", "pi-memory", "--yes").out.splitlines()[-1] == "nothing of pi-memory is new here"
    assert not (cli.machine.clone / "global/build.md").exists()


def test_a_key_that_says_something_else_here_stays(cli: Terminal) -> None:
    cli("remember", "Emacs", "--key", "pref.editor", "--category", "preference", "-s", "global")
    pisources.pi_facts(cli.machine)
    answer = cli("import", "pi-memory", "--yes")
    assert "pref.editor says something else here, and stays so" in answer.out
    assert "Emacs" in cli.machine.read("global/topics/preference.md")
    assert "Neovim" not in cli.machine.read("global/topics/preference.md")


def test_a_secret_is_held_back_and_the_rest_goes_on(cli: Terminal) -> None:
    folder = pisources.pi_memory(cli.machine)
    pisources.write(folder, {"keys.md": f"- the token is {TOKEN}\n"})
    with closing(pisources.open_pi_facts(cli.machine)) as db:
        with db:
            db.execute("insert into semantic (key, value) values ('tool.gh', ?)", (TOKEN,))
        answer = cli("import", "pi-memory", "--yes")
    assert answer.code == 6
    assert "keys.md -> global/keys.md: held back: it holds a secret" in answer.out
    assert "tool.gh: it holds a secret" in answer.out
    assert TOKEN not in answer.out + answer.err
    assert "ripgrep" in cli.machine.read("global/topics/tool.md")
    assert not (cli.machine.clone / "global/keys.md").exists()
    assert (cli.machine.clone / "global/build.md").exists()


def test_hostile_sources_are_a_line_each(cli: Terminal, tmp_path: Path) -> None:
    folder = pisources.pi_memory(cli.machine)
    outside = tmp_path / "outside.md"
    outside.write_text("- not yours\n")
    (folder / "link.md").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    (folder / "huge.md").write_bytes(b"x" * (10 << 20))
    (folder / "binary.md").write_bytes(b"\x00\x01\xff" * 100)
    (folder / "yaml.md").write_text('---\ntags: [a\ndescription: "x\n---\n- broken head\n')
    (folder / "js.md").write_text("---js\nmodule.exports = process.exit(1)\n---\n- js head\n")
    (folder / "latin.md").write_bytes(b"- caf\xe9\n")
    (folder / "wide.md").write_bytes("- wide words\n".encode("utf-16"))
    (cli.machine.home / ".pi/memory").mkdir()
    (cli.machine.home / ".pi/memory/memory.db").write_text("no database" * 100)
    (cli.machine.home / ".pi/agent/settings.json").write_text("{broken")
    answer = cli("import", "pi-memory", "--yes")
    assert answer.code == 6
    assert "Traceback" not in answer.out + answer.err
    for line in (
        "left out: link.md: is a link, and isn't followed",
        "left out: up: is a link, and isn't followed",
        "binary.md -> global/binary.md: held back: it is not text, it has NUL bytes",
        "the frontmatter is a program: it is not read here",
        "frontmatter is not readable YAML",
        "can't be read as a memory of pi-memory: file is not a database",
        "it was UTF-16, and is UTF-8 here",
    ):
        assert line in answer.out
    assert "huge.md: is larger than 1 MiB" in answer.out
    assert "not yours" not in json.dumps([str(v) for v in notes_of(cli.machine).values()])
    assert (cli.machine.clone / "global/latin.md").read_bytes() == b"- caf\xe9\n"
    assert "wide words" in cli.machine.read("global/wide.md")
    assert "js head" in cli("search", "js head").out


def test_what_is_no_source_is_one_line(cli: Terminal, tmp_path: Path) -> None:
    text = tmp_path / "a.md"
    text.write_text("- a\n")
    for words, code in (
        (["import", "pi-memroy"], 2),
        (["import", "--from", "x"], 2),
        (["import", "pi-memory"], 3),
        (["import", "scored", "--from", str(tmp_path)], 3),
        (["import", "pi-memory", "--from", str(tmp_path / "none")], 3),
        (["import", "pi-memory", "--from", str(text)], 1),
    ):
        answer = cli(*words)
        assert (answer.code, answer.is_one_line()) == (code, True), words


def test_scored_lines_keep_their_category_and_their_pins(cli: Terminal) -> None:
    pisources.scored(cli.machine)
    answer = cli("import", "scored", "--yes")
    assert "preferences.md: new, 2 entries, 1 to be pinned" in answer.out
    assert cli.machine.read("shop/topics/preferences.md") == pisources.TOPICS["preferences"]
    listed = cli("context").out
    for words in ("gate-blocked", "concise responses"):
        assert words in listed
    assert "memory-scores.json, but for pins" in answer.out
    assert "embeddings.json" in answer.out
    assert ".dream-watermark" in answer.out


@pytest.mark.parametrize(
    ("section", "mode"),
    rotating(
        [
            ({"injectionMode": "startup"}, "once"),
            ({"injectionMode": "system-prompt"}, "system"),
            ({"injectionMode": "systemPromptPerTurn"}, "system"),
            ({"injectionMode": "contextPerTurn"}, "turn"),
            ({"injectionMode": "context-hook"}, "turn"),
            ({"perTurnInjection": True, "perTurnInjectionTarget": "context"}, "turn"),
            ({"perTurnInjection": True}, "system"),
            ({"perTurnInjection": False}, "once"),
            ({"injectionMode": "unheard of"}, "delta"),
        ]
    ),
)
def test_how_pi_memory_gave_its_facts_is_a_setting_of_the_plan(
    cli: Terminal, section: dict[str, object], mode: str
) -> None:
    pisources.pi_facts(cli.machine)
    pisources.pi_settings(cli.machine, memory=section)
    shown = cli("import", "pi-memory", "--dry-run").out
    assert ("config.toml: delivery.mode" in shown) == (mode != "delta")
    assert cli("config", "get", "delivery.mode").out == "delta\n"
    cli("import", "pi-memory", "--yes")
    assert cli("config", "get", "delivery.mode").out == f"{mode}\n"


def test_a_mode_that_somebody_chose_here_stays(cli: Terminal) -> None:
    cli("config", "set", "delivery.mode", "pull")
    pisources.pi_facts(cli.machine)
    pisources.pi_settings(cli.machine, memory={"injectionMode": "startup"})
    assert "not changed: " in cli("import", "pi-memory", "--yes").out
    assert cli("config", "get", "delivery.mode").out == "pull\n"


@pytest.mark.parametrize("section", ["pi-memory", "pi-total-recall"])
def test_the_database_is_where_pis_settings_put_it(cli: Terminal, section: str) -> None:
    pisources.pi_facts(cli.machine)
    folder = cli.machine.home / "elsewhere" / ("memory" if section == "pi-total-recall" else "")
    folder.mkdir(parents=True)
    (cli.machine.home / ".pi/memory/memory.db").rename(folder / "memory.db")
    pisources.pi_settings(cli.machine, **{section: {"localPath": "~/elsewhere"}})
    assert "7 entries" in cli("import").out


def test_a_project_says_where_its_database_is_within_its_checkout_only(cli: Terminal, tmp_path: Path) -> None:
    pisources.pi_facts(cli.machine)
    own = cli.machine.project_folder / ".pi"
    (own / "facts").mkdir(parents=True)
    (cli.machine.home / ".pi/memory/memory.db").rename(own / "facts/memory.db")
    (own / "settings.json").write_text(json.dumps({"pi-memory": {"localPath": ".pi/facts"}}))
    cli("import", "pi-memory", "--yes")
    assert "Neovim" in cli.machine.read("shop/topics/preference.md")
    (own / "facts/memory.db").rename(tmp_path / "memory.db")
    (own / "settings.json").write_text(json.dumps({"pi-memory": {"localPath": str(tmp_path)}}))
    assert cli("import").out == "nothing of another memory program is here\n"


def test_the_memory_of_another_checkout_is_brought_there(cli: Terminal) -> None:
    folder = pisources.write(
        cli.machine.home / "other/.pi/memory", {"MEMORY.md": "- x\n", "topics/a.md": "- y\n"}
    )
    for source in ("pi-memory", "scored"):
        answer = cli("import", source, "--from", str(folder), "--yes")
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert "another checkout" in answer.err


def test_pi_memory_md_is_adopted_where_there_is_no_memory(tmp_path: Path) -> None:
    machine = make_pi_machine(tmp_path)
    before = machine.files()
    shown = machine.ctxrepo("import", "pi-memory-md", "--dry-run")
    assert "config.toml: repository.path = ~/.pi/memory-md" in shown.stdout
    assert machine.files() == before
    assert not machine.places.config_file.exists()
    assert machine.ctxrepo("import", "pi-memory-md").returncode == 2
    run = machine.ctxrepo("import", "pi-memory-md", "--yes")
    assert run.stdout.splitlines()[-1] == "this repository is the memory now"
    assert machine.open().root == machine.clone
    again = machine.ctxrepo("import", "pi-memory-md", "--yes")
    assert (again.returncode, "nothing of pi-memory-md" in again.stderr) == (3, True)


def test_pi_memory_md_is_copied_where_there_is_another_memory(tmp_path: Path) -> None:
    theirs = make_pi_machine(tmp_path)
    before = theirs.files()
    ours = PiMachine(theirs.home, {"CTXREPO_HOME": str(theirs.home / ".ctxrepo")})
    assert ours.ctxrepo("init").returncode == 0
    run = ours.ctxrepo("import", "pi-memory-md", "--yes")
    assert run.returncode == 0, run.stderr
    here = theirs.home / ".ctxrepo"
    for path in (
        "demo-shop/core/USER.md",
        "other-api/core/USER.md",
        "demo-shop/notes/meeting.md",
        "global/MEMORY.md",
    ):
        assert (here / path).read_bytes() == (theirs.clone / path).read_bytes()
    assert "TAPE/demo-shop__anchors.jsonl -> TAPE/demo-shop/: 3 new anchors" in run.stdout
    assert "Continue the migration" in ours.ctxrepo("handoff", "--show").stdout
    again = ours.ctxrepo("import", "pi-memory-md", "--yes")
    assert again.stdout.splitlines()[-1] == "nothing of pi-memory-md is new here"
    assert theirs.files() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "code", "message"), [(b"n\n", 0, "nothing was changed"), (b"y\n", 0, "brought 13 ")]
)
def test_at_a_terminal_it_shows_the_plan_and_asks(
    cli: Terminal, typed: bytes, code: int, message: str
) -> None:
    pisources.pi_memory(cli.machine)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ctxrepo", "import", "pi-memory"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=cli.machine.env
    ) as run:
        os.write(ours, typed)
        out, err = run.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert run.returncode == code
    assert "daily/2026-02-15.md -> global/daily/2026-02-15.md: new, 3 entries" in err.decode()
    assert message in out.decode()


def test_a_query_that_never_ends_is_given_up(cli: Terminal) -> None:
    file = cli.machine.home / ".pi/memory/memory.db"
    file.parent.mkdir(parents=True)
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("create table lessons (id text, rule text)")
        db.execute(
            "create view semantic as with recursive n(key) as (select 1 union all select key + 1 from n)"
            " select key, key as value from n"
        )
        db.execute("insert into lessons values ('1', 'Read first')")
    answer = cli("import", "pi-memory", "--yes")
    assert (answer.code, "brought 1 entry" in answer.out) == (0, True)


PAGE = Path(__file__).parents[4] / "docs/how-to/move-to-ctxrepo.md"


def shown_on_the_page(command: str) -> list[str]:
    """What the page says that a command prints, occurrence by occurrence."""
    blocks = PAGE.read_text("utf-8").split("```console\n")[1:]
    examples = [block.partition("```")[0] for block in blocks]
    return [text.partition("\n")[2] for text in examples if text.partition("\n")[0] == f"$ ctxrepo {command}"]


def test_the_page_shows_what_is_printed(cli: Terminal, tmp_path: Path) -> None:
    folder = pisources.pi_memory(cli.machine)
    pisources.pi_facts(cli.machine)
    pisources.scored(cli.machine)
    pisources.pi_settings(cli.machine, **{"pi-memory": {"injectionMode": "contextPerTurn"}})
    assert [cli("import").out] == shown_on_the_page("import")
    pisources.write(folder, {"deploy.md": f"- the token is {TOKEN}\n"})
    for words in ("import pi-memory --dry-run", "import scored --yes"):
        assert [cli(*words.split()).out] == shown_on_the_page(words)
    theirs = make_pi_machine(tmp_path / "pi")
    words = "import pi-memory-md --dry-run"
    assert [theirs.ctxrepo(*words.split()).stdout] == shown_on_the_page(words)
    ours = PiMachine(theirs.home, {"CTXREPO_HOME": str(theirs.home / ".ctxrepo")})
    assert ours.ctxrepo("init").returncode == 0
    words = "import pi-memory-md --yes"
    assert [ours.ctxrepo(*words.split()).stdout] == shown_on_the_page(words)
