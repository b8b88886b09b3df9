"""An export that somebody made to do harm: what it says of entries, projects and rules takes nothing here."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from terminal import Terminal

from ctxrepo.domain.note.entry import entries_of

HEADER = {"format": "ctxrepo-export", "version": 1, "scopes": ["global"], "global": "global"}
END = {"type": "end", "files": 1, "entries": 0}
EVIDENCE = ".ctx/evidence/elsewhere-2026-11.jsonl"
NEW = {"type": "file", "path": "global/new.md", "text": "- Something new\n"}


def file(path: str, *lines: Mapping[str, object] | str) -> dict[str, str]:
    """The record of a file of these lines."""
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    return {"type": "file", "path": path, "text": text}


def record_of(kind: str, entry: str, path: str, **more: str) -> dict[str, object]:
    fields = {"v": 1, "id": f"{kind}-{entry}-{path}", "ts": "2026-11-30T00:00:00.000Z", "kind": kind}
    return {**fields, "entry": entry, "path": path, **more}


def brought(
    cli: Terminal, *records: Mapping[str, object], header: Mapping[str, object] = HEADER, **env: str
) -> tuple[int, str]:
    place = cli.machine.home / "memory.jsonl"
    place.write_text("".join(f"{json.dumps(record)}\n" for record in (header, *records, END)))
    answer = cli("import", "--file", str(place), "--yes", **env)
    cli("sync")
    assert "Traceback" not in answer.err
    return answer.code, answer.out + answer.err


def known(cli: Terminal, words: str) -> dict[str, str]:
    (hit,) = cli("search", words, "--json").data["hits"]
    return {"id": hit["id"].removeprefix("^"), "path": hit["at"].partition("#")[0]}


@pytest.fixture
def door(cli: Terminal) -> dict[str, str]:
    """The id and the path of an entry of a project."""
    cli("remember", "The staging door opens at nine")
    cli("sync")
    return known(cli, "staging")


def exported(cli: Terminal, text: str) -> dict[str, object]:
    """What is said of the entry with this text."""
    lines = map(json.loads, cli.machine.process("export", "-").stdout.splitlines())
    (evidence,) = [line["evidence"] for line in lines if line.get("type") == "entry" and text in line["text"]]
    return dict(evidence)


@pytest.mark.parametrize("where", ["its own path", "another path"])
@pytest.mark.parametrize(
    "kind", ["superseded", "forgotten", "moved", "pinned", "verified", "contradicted", "stated"]
)
def test_nothing_is_said_of_entries_of_other_scopes(
    cli: Terminal, door: dict[str, str], kind: str, where: str
) -> None:
    before = exported(cli, "staging door")
    path = door["path"] if where == "its own path" else "global/new.md"
    more = {} if kind in ("pinned", "verified", "contradicted", "stated") else {"to": "0" * 12}
    brought(cli, file(EVIDENCE, record_of(kind, door["id"], path, **more)), NEW)
    assert exported(cli, "staging door") == before
    assert cli("read", f"^{door['id']}").code == 0


def test_no_mark_of_what_is_not_here_moves_to_what_is(cli: Terminal) -> None:
    cli.machine.write("shop/open.md", "- The window opens at ten\n")
    cli("sync")
    window = known(cli, "window")["id"]
    gone = "f" * 12
    lines = (
        record_of("superseded", gone, "global/new.md", to="0" * 12),
        record_of("moved", gone, "global/new.md", to=window),
    )
    brought(cli, file(EVIDENCE, *lines), NEW)
    assert "superseded" not in exported(cli, "window")


def test_no_note_that_is_here_is_said_to_have_moved(cli: Terminal, door: dict[str, str]) -> None:
    moved = record_of("renamed", "", door["path"], to="global/new.md")
    brought(cli, file(EVIDENCE, moved), NEW)
    assert "staging" in cli("read", door["path"].removeprefix("shop/")).out
    assert "renamed" not in cli.machine.process("export", "-").stdout


def test_a_rule_is_neither_approved_nor_replaced(cli: Terminal) -> None:
    cli("remember", "Never deploy by hand", "--scope", "global")
    cli("sync")
    entry = known(cli, "deploy")
    note = cli.machine.read(entry["path"])
    assert cli("enforce", f"^{entry['id']}", "block", "command", "kubectl apply").code == 0
    cli("sync")
    rules = cli("enforce").out
    assert "kubectl apply" in rules
    off = record_of("enforced", entry["id"], entry["path"], rule="warn command kubectl")
    brought(cli, file(EVIDENCE, off), file(entry["path"], note.rstrip("\n")), NEW)
    assert cli("enforce").out == rules
    new = known(cli, "Something new")
    rule = record_of("enforced", new["id"], new["path"], rule="block command make")
    brought(cli, file(EVIDENCE, rule, {**rule, "id": "again", "ts": "2026-11-30T01:00:00.000Z"}))
    assert "block command" not in str(exported(cli, "Something new"))


def test_a_rule_that_comes_with_its_entry_waits_for_a_person(cli: Terminal) -> None:
    (entry,) = entries_of(NEW["path"], NEW["text"])
    rule = record_of("enforced", entry.id, entry.path, rule="block command make")
    brought(cli, file(EVIDENCE, rule), NEW)
    (listed,) = cli("enforce", "--json").data["rules"]
    assert (listed["rule"], listed["is_approved"], listed["held"]) == ("block command make", False, "")


class TestRegistry:
    def registered(self, cli: Terminal, *lines: str, header: Mapping[str, object] = HEADER) -> str:
        brought(cli, file("ctxrepo.toml", "format = 1", *lines), NEW, header=header)
        return cli.machine.read("ctxrepo.toml")

    def test_a_folder_that_is_not_in_the_export_is_given_to_no_project(self, cli: Terminal) -> None:
        text = self.registered(cli, "", "[projects]", '"git.example.org/x/y" = "shop"', '"a/b" = "other"')
        assert "x/y" not in text
        assert "a/b" not in text

    @pytest.mark.usefixtures("door")
    def test_a_project_keeps_its_folder(self, cli: Terminal) -> None:
        header = {**HEADER, "scopes": ["global", "evil"], "projects": {"git.example.org/x/y": "evil"}}
        text = self.registered(
            cli, "", "[projects]", '"git.example.org/ada/shop" = "evil"', "",
            "[aliases]", '"git.example.org/ada/shop" = "git.example.org/x/y"', header=header,
        )  # fmt: skip
        assert '"git.example.org/ada/shop" = "shop"' in text
        assert "aliases" not in text or '"git.example.org/ada/shop" =' not in text.partition("[aliases]")[2]

    def test_a_folder_that_a_project_gets_is_told_and_its_name_is_one(self, cli: Terminal) -> None:
        names = {"git.example.org/x/y": "fresh", "": "fresh", "a\nb": "fresh", "git.example.org/x/z": "fresh"}
        header = {**HEADER, "scopes": ["global", "fresh"], "projects": names}
        _, words = brought(cli, NEW, {**NEW, "path": "fresh/a.md"}, header=header)
        assert "ctxrepo.toml -> ctxrepo.toml: a folder for git.example.org/x/y, git.example.org/x/z" in words
        text = cli.machine.read("ctxrepo.toml")
        assert '"git.example.org/x/y" = "fresh"' in text.partition("[aliases]")[0]
        assert '"git.example.org/x/z" = "git.example.org/x/y"' in text
        assert '"" =' not in text


def test_what_is_global_needs_to_be_a_scope_of_it(cli: Terminal) -> None:
    cli("remember", "Tea is hot", "--scope", "global")
    cli("sync")
    tea = known(cli, "Tea")
    header = {**HEADER, "scopes": ["fresh"]}
    pinned = file(EVIDENCE, record_of("pinned", tea["id"], tea["path"]))
    brought(cli, pinned, NEW, {**NEW, "path": "fresh/a.md"}, header=header)
    assert "pinned" not in exported(cli, "Tea is hot")
    assert known(cli, "Something new")["path"] == "fresh/a.md"


def test_a_huge_note_is_told_and_not_read(cli: Terminal) -> None:
    _, words = brought(cli, {**NEW, "path": "global/huge.md", "text": "- a\n" * 400_000}, NEW)
    assert "left out: global/huge.md: is larger than 1 MiB" in words
    assert known(cli, "Something new")


def test_an_agent_whose_writes_wait_imports_nothing(cli: Terminal, door: dict[str, str]) -> None:
    cli("config", "set", "inbox.policy", "stage")
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s-1"}
    pinned = record_of("pinned", door["id"], door["path"])
    header = {**HEADER, "scopes": ["global", "shop"], "projects": {"git.example.org/ada/shop": "shop"}}
    code, words = brought(cli, file(EVIDENCE, pinned), header=header, **agent)
    assert (code, "person" in words) == (6, True)
    assert "pinned" not in exported(cli, "staging door")
    code, words = brought(cli, NEW, header=HEADER, **agent)
    assert code == 6
    assert not (cli.machine.clone / "global/new.md").exists()
