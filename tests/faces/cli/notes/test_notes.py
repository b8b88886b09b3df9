"""remember, new, read and list: what is written can be read at once, and nothing else has changed."""

from __future__ import annotations

import json

import pytest
from terminal import Terminal


def settle(cli: Terminal) -> str:
    """Let a worker do what is left to do; returns what a session would be given then."""
    machine = cli.machine
    machine.worker().run()
    return cli("context").out


def test_a_fact_that_would_come_cut_is_written_and_said_to(cli: Terminal) -> None:
    answer = cli("remember", "word " * 600, "--json")
    assert (answer.code, answer.data["cut_to"]) == (0, 2500)
    assert "prompts have room for 2500 bytes, so this entry would be cut" in answer.err
    assert cli("remember", "short", "--json").data["cut_to"] == 0


class TestListing:
    @pytest.fixture
    def many(self, cli: Terminal) -> Terminal:
        for path in ("MEMORY.md", "topics/a.md", "topics/deep/b.md", "archive/old.md"):
            cli.machine.write(f"shop/{path}", "- *(pinned)* x\n" if path == "topics/a.md" else "- x\n")
        cli.machine.remember("registers the project", scope="project", note=None)
        return cli

    def paths(self, cli: Terminal, *words: str) -> list[str]:
        return [n["path"] for n in cli("list", *words, "--scope", "shop", "--json").data["notes"]]

    def test_a_folder_and_no_more_than_is_asked_for(self, many: Terminal) -> None:
        assert self.paths(many) == ["MEMORY.md", "topics/a.md", "topics/deep/b.md"]
        assert (
            self.paths(many, "topics")
            == self.paths(many, "shop/topics/")
            == ["topics/a.md", "topics/deep/b.md"]
        )
        assert self.paths(many, "topics", "--depth", "1") == ["topics/a.md"]
        assert self.paths(many, "--limit", "1") == ["MEMORY.md"]
        answer = many("list", "nowhere")
        assert (answer.code, answer.out, "no note is below nowhere" in answer.err) == (0, "", True)

    def test_the_archive_is_listed_by_its_name(self, many: Terminal) -> None:
        assert self.paths(many, "archive") == self.paths(many, "shop/archive") == ["archive/old.md"]

    def test_a_table_says_what_a_session_is_given(self, many: Terminal) -> None:
        answer = many("list", "--long", "--scope", "shop")
        rows = {line.split()[0]: line.split()[1:] for line in answer.out.splitlines()}
        assert rows["shop/topics/a.md"] == ["15", "1", "pinned", "line"]
        assert rows["shop/MEMORY.md"][-1] == "whole"
        assert many("list", "archive", "-l", "--json").data["notes"][0]["delivered"] is None

    def test_the_tree_down_to_a_depth(self, many: Terminal) -> None:
        folders = [f["path"] for f in many("list", "--tree", "--depth", "1", "--json").data["folders"]]
        assert "shop/topics" in folders
        assert "shop/topics/deep" not in folders
        assert many("list", "topics", "--tree").code == 2


class TestRemember:
    def test_a_fact_is_placed_acknowledged_and_read_at_once(self, cli: Terminal) -> None:
        answer = cli("remember", "make test runs everything", "--json")
        assert (answer.code, answer.err) == (0, "")
        data = answer.data
        assert data["at"].startswith("shop/MEMORY.md#L")
        assert (data["existing"], data["staged"], data["near"], data["replaced"]) == (False, False, [], [])
        assert cli("read", data["id"]).out == "- make test runs everything\n"
        assert cli.machine.read("shop/MEMORY.md").endswith("## Notes\n\n- make test runs everything\n")
        assert [state for _, state, _ in cli.woken] == [str(cli.machine.places.state)]

    def test_the_words_say_id_and_place(self, cli: Terminal) -> None:
        answer = cli(
            "remember", "x is y", "--scope", "global", "--category", "gotcha", "--tag", "a", "-t", "b"
        )
        word, entry_id, place = answer.out.split()
        assert (word, place.partition("#")[0]) == ("remembered:", "global/topics/gotcha.md")
        assert cli("read", entry_id).out == "- [gotcha] x is y #a #b\n"

    @pytest.mark.parametrize(
        ("words", "path"),
        [
            ([], "shop/MEMORY.md"),
            (["-c", "Gotcha"], "shop/topics/gotcha.md"),
            (["--note", "deep/er/place"], "shop/deep/er/place.md"),
            (["--note", "global:core/USER.md"], "global/core/USER.md"),
            (["--note", "core/USER.md", "--scope", "global"], "global/core/USER.md"),
            (["--scope", "git.example.org/ada/shop"], "shop/MEMORY.md"),
            (["--scope", "shop"], "shop/MEMORY.md"),
            # As the index and our own answers write a path:
            (["--note", "global/core/USER.md"], "global/core/USER.md"),
            (["--note", "shop/topics/x.md"], "shop/topics/x.md"),
        ],
    )
    def test_where_it_goes(self, cli: Terminal, words: list[str], path: str) -> None:
        answer = cli("remember", "x", *words, "--json")
        assert answer.code == 0, answer.err
        assert answer.data["at"].partition("#")[0] == path
        assert "- " in cli.machine.read(path)

    def test_beside_an_entry_by_its_id(self, cli: Terminal) -> None:
        first = cli("remember", "one", "--note", "topics/t", "--json").data
        second = cli("remember", "two", "--note", first["id"], "--json").data
        assert second["at"].partition("#")[0] == first["at"].partition("#")[0] == "shop/topics/t.md"

    def test_the_same_twice_is_one(self, cli: Terminal) -> None:
        first = cli("remember", "port is 6380", "--json").data
        before = cli.machine.read("shop/MEMORY.md")
        again = cli("remember", " port  is 6380", "--json")
        assert (again.code, again.data["id"], again.data["existing"]) == (0, first["id"], True)
        assert cli("remember", "port is 6380").out.startswith("already in memory: ^")
        assert cli.machine.read("shop/MEMORY.md") == before

    def test_said_again_in_another_session_it_counts(self, cli: Terminal) -> None:
        entry = cli("remember", "port is 6380", "--json").data["id"]
        path = next((cli.machine.clone / ".ctx/evidence").iterdir())
        path.write_text(path.read_text().replace('"host"', '"session": "s1", "host"'))
        answer = cli("remember", "port is 6380")
        assert answer.out.startswith(f"already in memory, reinforced (once by now): {entry} ")
        assert cli("reinforce", entry).out.startswith(f"reinforced (2 times by now): {entry} ")

    def test_where_a_match_comes_from(self, cli: Terminal) -> None:
        entry = cli("remember", "port is 6380", "--json").data["id"]
        assert cli("verify", entry, "--json").data["entries"][0]["id"] == entry
        assert cli("verify", "shop/MEMORY.md").code == 2
        first, *lines = cli("search", "6380", "--long").out.splitlines()
        assert first.endswith(entry)
        assert [line.split()[0] for line in lines] == ["stated", "verified"]
        assert cli("search", "6380").out.splitlines() == [first]
        (hit,) = cli("search", "6380", "--json").data["hits"]
        assert hit["evidence"]["verified"] > hit["evidence"]["stated"] > ""
        assert "origin   stated" in cli("why", entry).out
        assert cli("why", entry, "--json").data["evidence"] == hit["evidence"]

    def test_nearly_the_same_is_said_and_written(self, cli: Terminal) -> None:
        cli("remember", "the redis port of the test suite is 6380")
        answer = cli("remember", "the redis port of the test suite is 6381")
        assert (answer.code, answer.out.startswith("remembered")) == (0, True)
        assert "at shop/MEMORY.md#L" in answer.err
        assert "says much the same" in answer.err

    @pytest.mark.slow
    def test_the_value_that_replaces_another_is_found_and_given_on_every_machine(
        self, both: tuple[Terminal, Terminal]
    ) -> None:
        ada, _ = both
        ada("remember", "the staging database listens on port 5432", "--key", "db.port")
        assert ada("sync").code == 0
        ada("remember", "the staging database listens on port 5433", "--key", "db.port")
        for cli in both:
            assert cli("sync").code == 0
            hits = cli("search", "staging", "--json").data["hits"]
            assert [(hit["text"], hit["superseded"]) for hit in hits] == [
                ("- db.port: the staging database listens on port 5433", False)
            ]
            question = "which port does the staging database listen on?"
            assert "5433" in cli("recall", question, "--no-gate").out
            assert "5433" in settle(cli)
            assert "5432" not in settle(cli)

    def test_what_a_fact_replaces_is_said(self, cli: Terminal) -> None:
        cli("remember", "6379", "--key", "redis.port")
        answer = cli("remember", "6380", "--key", "redis.port", "--pin")
        assert answer.out.startswith("replaced, pinned: ^")
        assert answer.out.endswith(' (was "redis.port: 6379")\n')
        again = cli("remember", "6381", "--key", "redis.port", "--json").data
        assert (again["was"], again["pinned"]) == (["redis.port: 6380"], True)

    def test_what_a_fact_supersedes_is_said_and_is_no_likeness_to_be_told(self, cli: Terminal) -> None:
        old = cli("remember", "the redis port of the test suite is 6380", "--json").data["id"]
        answer = cli("remember", "the redis port of the test suite is 6381", "--supersedes", old)
        assert answer.err == ""
        assert answer.out.endswith(' (was "the redis port of the test suite is 6380")\n')

    def test_what_is_known_already_supersedes_as_well(self, cli: Terminal) -> None:
        old = cli("remember", "deploy by hand", "--pin", "--json").data["id"]
        cli("remember", "deploy through CI")
        answer = cli("remember", "deploy through CI", "--supersedes", old)
        assert answer.out.startswith("already in memory, pinned now: ^")
        assert "deploy by hand" not in settle(cli)

    def test_of_two_entries_with_one_key_the_one_that_holds_is_replaced(self, cli: Terminal) -> None:
        old = cli("remember", "6379", "--key", "port", "--json").data["id"]
        cli("remember", "port: 6380", "--supersedes", old)
        assert cli("remember", "6381", "--key", "port", "--json").data["was"] == ["port: 6380"]

    def test_a_key_has_one_live_entry(self, cli: Terminal) -> None:
        first = cli("remember", "6379", "--key", "redis.port", "--json").data
        second = cli("remember", "6380", "--key", "redis.port", "--json").data
        assert second["replaced"] == [first["id"].removeprefix("^")]
        assert "6379" not in cli("read", "MEMORY").out
        assert "6379" not in settle(cli)

    @pytest.mark.slow
    def test_what_is_superseded_leaves_delivery_and_stays_in_the_note(self, cli: Terminal) -> None:
        old = cli("remember", "deploy by hand", "--json").data["id"]
        assert "deploy by hand" in settle(cli)
        assert cli("remember", "deploy through CI", "--supersedes", old).code == 0
        text = settle(cli)
        assert "deploy through CI" in text
        assert "deploy by hand" not in text
        assert "deploy by hand" in cli("read", "MEMORY").out

    @pytest.mark.slow
    def test_a_pin_puts_its_note_first(self, cli: Terminal) -> None:
        for name in ("aaa", "zzz", "mmm"):
            cli("new", f"topics/{name}", "-d", f"about {name}")
        assert settle(cli).index("about aaa") < settle(cli).index("about zzz")
        cli("remember", "always", "--note", "topics/zzz", "--pin")
        assert settle(cli).index("about zzz") < settle(cli).index("about aaa")
        assert "shop/topics/zzz.md — about zzz (pinned)\n" in cli("list").out
        pinned = [n["path"] for n in cli("list", "--json").data["notes"] if n["pinned"]]
        assert pinned == ["topics/zzz.md"]

    def test_an_id_is_written_only_on_request(self, cli: Terminal) -> None:
        plain = cli("remember", "one", "--json").data["id"]
        written = cli("remember", "two", "--id", "--json").data["id"]
        text = cli.machine.read("shop/MEMORY.md")
        assert f"- two <!-- {written} -->\n" in text
        assert plain not in text

    def test_a_proposal_waits_in_the_inbox(self, cli: Terminal) -> None:
        answer = cli("remember", "maybe", "--stage", "--category", "idea", "--json")
        host = cli.machine.open().host
        assert (answer.code, answer.data["staged"], answer.data["at"]) == (0, True, f"inbox/{host}.jsonl")
        change = json.loads(cli.machine.read(f"inbox/{host}.jsonl"))
        assert (change["id"], change["text"], change["category"]) == (answer.data["id"], "maybe", "idea")
        assert cli("list").out.count("\n") == 1
        again = cli("remember", "maybe", "--stage", "--category", "idea")
        assert again.out == f"proposed already: {answer.data['id']} {answer.data['at']}\n"
        assert cli("remember", "maybe", "--stage").out.startswith("proposed: ")

    def test_updated_is_bumped_where_it_is(self, cli: Terminal) -> None:
        dated = "---\nupdated: 2020-01-01\n---\n- x\n"
        cli.machine.write("global/dated.md", dated)
        cli.machine.write("global/plain.md", "- x\n")
        for name in ("dated", "plain"):
            cli("remember", "y", "--note", f"global:{name}")
        head = cli("read", "global:dated", "--json").data
        assert "2026-01-01" < head["updated"] != "2020-01-01"
        assert cli.machine.read("global/plain.md") == "- x\n- y\n"

    @pytest.mark.parametrize(
        ("words", "code", "message"),
        [
            (["   "], 2, "the text is empty"),
            (["--", "- "], 2, "the text is empty or begins with a horizontal line"),
            (["- a bullet"], 2, "Put -- before"),
            (["x" * 70_000], 2, "larger than 64 KiB"),
            (["x", "--note", "../out"], 2, "the part '..'"),
            (["x", "--note", "/etc/passwd"], 2, "can't be a note"),
            (["x", "--note", ".git/config"], 2, "can't be a note"),
            (["x", "--note", ":topics/x"], 2, "no scope before its colon"),
            (["x", "--category", "two words"], 2, "not a single word"),
            (["x", "--category", "a/b"], 2, "not a single word"),
            (["x", "--tag", "b!"], 2, "not a single word"),
            (["x", "--key", "db/port"], 2, "not a single word"),
            (["x", "--supersedes", "not an id"], 2, "not an entry id"),
            (["x", "--supersedes", "^" + "0" * 12], 3, "no entry"),
            (["x", "--scope", "shpo"], 3, "Did you mean shop?"),
            (["x", "--scope", "nobody"], 3, "There are global"),
            (["login with ghp_" + "a1B2" * 9], 6, "secret"),
        ],
    )
    def test_what_is_refused_is_said_and_changes_nothing(
        self, cli: Terminal, words: list[str], code: int, message: str
    ) -> None:
        cli("remember", "registered")
        before = {p: cli.machine.read(p) for p in cli.machine.open().worktree.scan().files}
        writes = cli.machine.open().journal.read()
        answer = cli("remember", *words)
        assert (answer.code, answer.is_one_line()) == (code, True)
        assert message in answer.err
        assert "ghp_" not in answer.err
        assert {p: cli.machine.read(p) for p in cli.machine.open().worktree.scan().files} == before
        assert cli.machine.open().journal.read() == writes
        assert len(cli.woken) == 1

    def test_outside_a_project_it_is_global(self, cli: Terminal) -> None:
        cli.cwd = cli.machine.home
        assert cli("remember", "x", "--json").data["at"].startswith("global/MEMORY.md#")
        answer = cli("remember", "x", "--scope", "project")
        assert (answer.code, answer.is_one_line()) == (2, True)

    def test_fences_and_marks_can_not_swallow_what_follows(self, cli: Terminal) -> None:
        for text in ("run:\n```sh\nmake", "```", "# not a heading", "<!-- not a comment", "1. first"):
            answer = cli("remember", text, "--json")
            assert answer.code == 0, answer.out
            assert cli("remember", f"after {text[:2]}", "--json").data["at"].count("L") == 1
        assert len(cli("read", "MEMORY", "--json").data["entries"]) == 10


class TestNew:
    def test_it_needs_a_description_or_a_template(self, cli: Terminal) -> None:
        answer = cli("new", "topics/x")
        assert (answer.code, answer.is_one_line()) == (2, True)
        assert "--description or --template" in answer.err

    def test_a_note_is_made_and_listed(self, cli: Terminal) -> None:
        answer = cli("new", "topics/release", "-d", "How we: release", "-t", "ci", "--json")
        assert (answer.code, answer.data["path"]) == (0, "shop/topics/release.md")
        note = cli("read", "topics/release.md", "--json").data
        assert (note["description"], note["tags"], note["hash"]) == (
            "How we: release",
            ["ci"],
            answer.data["hash"],
        )
        assert "shop/topics/release.md — How we: release [ci]\n" in cli("list").out
        assert len(cli.woken) == 1

    def test_its_body_comes_from_a_file_or_standard_input(self, cli: Terminal) -> None:
        body = "---\nowner: ada # kept\n---\n- one\n"
        cli("new", "a", "-d", "d", "--from", "-", stdin=body.encode())
        assert cli.machine.read("shop/a.md") == "---\nowner: ada # kept\ndescription: d\n---\n- one\n"
        file = cli.machine.home / "body.md"
        file.write_bytes(b"- caf\xc3\xa9 \xff\n")
        assert cli("new", "b", "-d", "d", "--from", str(file)).code == 0
        assert (cli.machine.clone / "shop/b.md").read_bytes().endswith(b"---\n\n- caf\xc3\xa9 \xff\n")

    def test_6_an_existing_note_is_refused_and_kept(self, cli: Terminal) -> None:
        cli("new", "topics/x", "-d", "first")
        before = cli.machine.read("shop/topics/x.md")
        for path in ("topics/x", "shop/topics/x.md", "project:topics/x"):
            answer = cli("new", path, "-d", "second")
            assert (answer.code, answer.is_one_line()) == (6, True)
            assert "there is a note shop/topics/x.md already" in answer.err
        assert cli.machine.read("shop/topics/x.md") == before

    @pytest.mark.parametrize(
        ("words", "code"),
        [
            (["../out", "-d", "x"], 2),
            (["/abs.md", "-d", "x"], 2),
            (["a\\b", "-d", "x"], 2),
            (["x.txt", "-d", "x"], 2),
            (["con", "-d", "x"], 2),
            (["", "-d", "x"], 2),
            (["a" * 300, "-d", "x"], 2),
            (["^" + "0" * 12, "-d", "x"], 2),
            (["x", "-d", " "], 2),
            (["x", "-d", "x", "--from", "/no/such/file"], 2),
            (["x", "-d", "x", "--from", "/"], 2),
            (["nobody:x", "-d", "x"], 3),
        ],
    )
    def test_what_can_be_no_note_is_refused(self, cli: Terminal, words: list[str], code: int) -> None:
        answer = cli("new", *words)
        assert (answer.code, answer.is_one_line()) == (code, True)
        assert cli("list").out.count("\n") == 1


class TestRead:
    def test_a_note_by_every_name_it_has(self, cli: Terminal) -> None:
        cli.machine.write("shop/topics/x.md", "- of the project\n")
        cli.machine.write("global/topics/x.md", "- of mine\n")
        cli.machine.write("global/only.md", "- only global\n")
        for target in ("topics/x", "topics/x.md", "./topics/x", "project:topics/x", "shop:topics/x",
                       "git.example.org/ada/shop:topics/x.md", "shop/topics/x.md"):  # fmt: skip
            assert cli("read", target).out == "- of the project\n", target
        for target in ("global:topics/x", "global/topics/x.md"):
            assert cli("read", target).out == "- of mine\n", target
        assert cli("read", "only").out == "- only global\n"

    def test_an_entry_by_its_id(self, cli: Terminal) -> None:
        cli.machine.write("global/x.md", "# T\n\n- one\n- two\n  more\n")
        entries = cli("read", "global:x", "--json").data["entries"]
        assert [e["at"] for e in entries] == ["global/x.md#L3", "global/x.md#L4-L5"]
        entry = cli("read", entries[1]["id"], "--json").data
        assert (entry["text"], entry["path"]) == ("- two\n  more", "global/x.md")
        assert [e["at"] for e in entry["entries"]] == ["global/x.md#L4-L5"]

    def test_the_hash_is_the_id_git_gives_the_bytes(self, cli: Terminal) -> None:
        cli.machine.write("global/x.md", "- café\n")
        expected = cli.machine.git("hash-object", "global/x.md")
        assert cli("read", "global:x", "--json").data["hash"] == expected

    @pytest.mark.parametrize(
        ("target", "code", "message"),
        [
            ("topics/relaese", 3, "Near it: topics/release.md."),
            ("global:nowhere", 3, "no note nowhere.md in global"),
            ("^" + "0" * 12, 3, "an id follows the text"),
            ("^not an id", 2, "not an entry id"),
            ("../../etc/passwd", 2, "the part '..'"),
            ("nobody:x", 3, "no scope 'nobody'"),
        ],
    )
    def test_what_is_not_there(self, cli: Terminal, target: str, code: int, message: str) -> None:
        cli.machine.write("shop/topics/release.md", "- x\n")
        answer = cli("read", target)
        assert (answer.code, answer.is_one_line()) == (code, True)
        assert message in answer.err


class TestList:
    def test_the_projects_notes_come_first_and_others_stay_away(self, cli: Terminal) -> None:
        cli.machine.write("shop/b.md", "---\ndescription: Bees\ntags: [x, y]\n---\n")
        cli.machine.write("shop/a.md", "- no head\n")
        cli.machine.write("other/c.md", "---\ndescription: Not ours\n---\n")
        cli("remember", "registered", "--note", "a")
        assert cli("list").out.splitlines() == [
            "shop/a.md — No description",
            "shop/b.md — Bees [x, y]",
            "global/MEMORY.md — What every session should know, one fact per line [memory]",
        ]
        assert [n["path"] for n in cli("list", "--scope", "shop", "--json").data["notes"]] == ["a.md", "b.md"]
        assert cli("list", "--scope", "global").out.count("\n") == 1

    def test_0_an_empty_list(self, cli: Terminal) -> None:
        (cli.machine.clone / "global/MEMORY.md").unlink()
        assert (cli("list").code, cli("list").out) == (0, "")
        assert "`ctxrepo remember` writes the first" in cli("list").err
        assert cli("list", "--json").data == {"notes": []}
        assert cli("list", "--json").err == ""
        cli("remember", "x")
        assert "no note has these tags" in cli("list", "--tag", "none").err


def test_a_description_is_a_line_and_no_body(cli: Terminal) -> None:
    answer = cli("new", "x", "-d", "long " * 1000)
    assert (answer.code, answer.is_one_line()) == (2, True)
    assert "longer than 1000 characters" in answer.err
    assert cli("list", "--json").data["notes"] == cli("list", "--scope", "global", "--json").data["notes"]


def test_a_new_note_begins_as_a_template(cli: Terminal) -> None:
    answer = cli("new", "core/TASK", "--template", "task")
    assert (answer.code, answer.out) == (0, "new: shop/core/TASK.md\n")
    assert "## Active Tasks" in cli("read", "core/TASK").out
    assert cli("check").code == 0
    answer = cli("new", "core/X", "--template", "tasks")
    assert (answer.code, answer.is_one_line(), "memory, task, user" in answer.err) == (2, True, True)
    assert cli("new", "core/X").code == 2


class TestRememberFromStandardInput:
    def test_a_fact_comes_from_standard_input(self, cli: Terminal) -> None:
        answer = cli("remember", "-", stdin=b"one fact\n")
        assert (answer.code, answer.out.startswith("remembered: ^")) == (0, True)
        assert cli.machine.read("shop/MEMORY.md").endswith("## Notes\n\n- one fact\n")

    def test_each_bullet_and_each_line_is_one_in_one_write(self, cli: Terminal) -> None:
        text = b"- one\n  - with more\n\n  and more\n- two\nthree\nfour\n"
        answer = cli("remember", "-", "--category", "gotcha", "--json", stdin=text)
        facts = answer.data["remembered"]
        entries = cli("read", "topics/gotcha", "--json").data["entries"]
        assert [e["id"] for e in facts] == [e["id"] for e in entries]
        assert [e["text"].removeprefix("- [gotcha] ") for e in entries] == [
            "one\n  - with more\n\n  and more",
            "two",
            "three",
            "four",
        ]
        cli("undo")
        assert not (cli.machine.clone / "shop/topics/gotcha.md").exists()

    def test_lines_without_bullets_are_a_fact_each(self, cli: Terminal) -> None:
        answer = cli("remember", "-", stdin="eins\r\nzwei – drei\r\n\r\nvier\r\n".encode())
        assert len(answer.out.splitlines()) == 3
        assert cli.machine.read("shop/MEMORY.md").endswith("- eins\n- zwei – drei\n- vier\n")

    def test_what_is_there_already_is_told_as_such(self, cli: Terminal) -> None:
        cli("remember", "one")
        facts = cli("remember", "-", "--json", stdin=b"one\ntwo\n").data["remembered"]
        assert [e["existing"] for e in facts] == [True, False]

    @pytest.mark.parametrize(
        ("text", "words"),
        [(b"", []), (b"\n\n", []), (b"# A note\n\n- x\n", []), (b"a\nb\n", ["--key", "k"])],
    )
    def test_nothing_is_written_where_one_of_them_can_not_be(
        self, cli: Terminal, text: bytes, words: list[str]
    ) -> None:
        answer = cli("remember", "-", *words, stdin=text)
        assert answer.code == 2
        assert answer.is_one_line()
        assert not (cli.machine.clone / "shop").exists()

    def test_a_secret_in_one_keeps_all_out(self, cli: Terminal) -> None:
        secret = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
        assert cli("remember", "-", stdin=f"fine\n{secret}\n".encode()).code == 6
        assert not (cli.machine.clone / "shop").exists()
