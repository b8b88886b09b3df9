"""search, tags, links: all that is there is found, nearest first, and no pattern runs away."""

from __future__ import annotations

import meanings
import pytest
from checkout import MODEL
from terminal import Terminal

NOTES = {
    "shop/topics/redis.md": "---\ndescription: The cache server\ntags: [infra, Cache]\n---\n\n# Redis\n\n"
    "- redis listens on port 6380 #tests\n- deploying it takes a minute\n\nA paragraph about ports.\n",
    "shop/core/TASK.md": "- [ ] deploy the thing\n",
    "shop/notes/meeting.md": "- we met about deployments\n",
    "global/USER.md": "- likes redis and Größe\n- 使用重构工具来部署\n",
    "other/topics/x.md": "- redis in another project\n",
    "shop/archive/old.md": "- redis 2 was installed by hand\n",
    "conflicts/shop/a.md": "- redis version kept aside\n",
}


def places(cli: Terminal, *words: str) -> list[str]:
    """Where the hits are, in order, without their lines."""
    answer = cli("search", *words, "--json")
    assert answer.code in (0, 3), answer.err
    return [hit["at"].partition("#")[0] for hit in answer.data["hits"]] if answer.code == 0 else []


def test_columns_are_aligned(shelf: Terminal) -> None:
    lines = shelf("tags").out.splitlines()
    assert len({line.index(" note") for line in lines}) == 1
    assert len({line.index(" entr") for line in lines}) == 1


class TestSearch:
    def test_the_nearest_come_first_and_nothing_is_hidden(self, shelf: Terminal) -> None:
        assert places(shelf, "redis") == [
            "shop/topics/redis.md",  # the note, then its entries: what stands under its title is about it
            *["shop/topics/redis.md"] * 3,
            "shop/archive/old.md",
            "global/USER.md",
            "other/topics/x.md",
        ]

    def test_an_item_of_a_checklist_is_found_by_forms_of_words(self, notes: Terminal) -> None:
        notes("scratch", "add", "Answer the auditors about retries")
        notes("scratch", "add", "Order keys for the auditors")
        notes("scratch", "done", "keys")
        (hit,) = notes("search", "auditor answering", "--json").data["hits"]
        assert (hit["path"], hit["text"]) == ("shop/SCRATCHPAD.md", "- [ ] Answer the auditors about retries")
        assert hit["score"] > 0
        assert [h["text"][:5] for h in notes("search", "auditor", "--json").data["hits"]] == [
            "- [ ]",
            "- [x]",
        ]
        assert notes("search", "auditor postponing").code == 3

    def test_where_no_entry_has_all_words_some_do_and_it_is_said(self, notes: Terminal) -> None:
        notes.machine.write("shop/ports.md", "- redis listens on 6380\n- the tapir port\n- unrelated\n")
        answer = notes("search", "which redis port did we decide on", "--json")
        assert {hit["text"] for hit in answer.data["hits"]} >= {"- redis listens on 6380"}
        assert (answer.data["all_words"], answer.data["hits"][0]["all_words"]) == (False, False)
        assert "- unrelated" not in {hit["text"] for hit in answer.data["hits"]}
        assert "no entry has all of these words" in answer.err
        answer = notes("search", "tapir port", "--json")
        assert (answer.data["all_words"], answer.err) == (True, "")
        assert notes("search", '"port redis" tapir').code == 3
        assert notes("search", "tapir zeppelin", "--tag", "none").code == 3

    def test_a_category_is_asked_for_by_itself_or_as_a_tag(self, notes: Terminal) -> None:
        notes.machine.write("shop/lessons.md", "- [lesson] ship on Tuesdays\n- [gotcha] a lesson in DNS\n")
        for words in (["--category", "lesson"], ["-c", "Lesson", "ship"], ["--tag", "lesson"]):
            (hit,) = notes("search", *words, "--json").data["hits"]
            assert (hit["text"], hit["category"]) == ("- [lesson] ship on Tuesdays", "lesson")
        assert places(notes, "lesson", "--category", "gotcha") == ["shop/lessons.md"]
        answer = notes("search", "-c", "none")
        assert (answer.code, "nothing found for '[none]'" in answer.err) == (3, True)

    def test_a_hit_says_whether_it_is_pinned_or_superseded(self, notes: Terminal) -> None:
        old = notes("remember", "port is 1", "--pin", "--json").data["id"]
        assert notes("search", "port is 1", "--json").data["hits"][0]["pinned"] is True
        notes("remember", "port is 2", "--supersedes", old)
        marks = {
            h["text"]: (h["pinned"], h["superseded"])
            for h in notes("search", "port", "--scope", "project", "--json").data["hits"]
        }
        assert (marks["- port is 1"], marks["- port is 2"]) == ((False, True), (True, False))

    def test_by_meaning_the_nearest_come_first(self, notes: Terminal) -> None:
        for path, text in meanings.NOTES.items():
            notes.machine.write(path, text)
        answer = notes("search", "dog", "--mode", "meaning")
        assert answer.code == 1
        assert "`ctxrepo cache embed`" in answer.err
        assert notes("config", "set", "recall.model", str(MODEL)).code == 0
        answer = notes("search", "dog", "--mode", "meaning")
        assert (answer.code, "no entry here was read for its meaning yet" in answer.err) == (1, True)
        assert notes("cache", "embed").code == 0
        assert notes("search", "dog").code == 3
        hits = notes("search", "dog", "--mode", "meaning", "--json").data["hits"]
        assert hits[0]["text"] == "- The office puppy is called Rex"
        near = [hit["similarity"] for hit in hits]
        assert near == sorted(near, reverse=True)
        hits = notes("search", "port 6380 dog", "--mode", "both", "--json").data["hits"]
        assert hits[0]["text"] == "- redis listens on port 6380 #tests"
        assert "- The office puppy is called Rex" in {hit["text"] for hit in hits}
        assert (
            notes("search", "dog", "--mode", "both", "--limit", "3", "--scope", "global").out.count("\n") == 3
        )

    @pytest.mark.parametrize(
        "words",
        [["x", "--mode", "sense"], ["x", "--mode", "both", "-e"], ["--mode", "meaning", "--tag", "x"]],
    )
    def test_what_can_not_be_asked_is_said(self, shelf: Terminal, words: list[str]) -> None:
        assert shelf("search", *words).code == 2

    def test_a_hit_says_all_a_program_wants(self, shelf: Terminal) -> None:
        (hit,) = shelf("search", "6380", "--json").data["hits"]
        assert hit["at"] == "shop/topics/redis.md#L8"
        assert hit["path"] == "shop/topics/redis.md"
        assert hit["text"] == "- redis listens on port 6380 #tests"
        assert (hit["heading"], hit["tags"]) == ("Redis", ["infra", "Cache", "tests"])
        assert hit["score"] > 0
        assert shelf("read", hit["id"]).out == "- redis listens on port 6380 #tests\n"

    @pytest.mark.parametrize(
        ("words", "path"),
        [
            ("deploys", "shop/core/TASK.md"),  # another form of the word
            ("DEPLOYING", "shop/topics/redis.md"),
            ("grosse", "global/USER.md"),
            ("größe", "global/USER.md"),
            ("Grösse", "global/USER.md"),
            ("重构", "global/USER.md"),  # no spaces between words
            ("tools", ""),
            ("istens", "shop/topics/redis.md"),  # a part of a word
            ('"on port"', "shop/topics/redis.md"),
            ('"port on"', ""),
            ("cache server", "shop/topics/redis.md"),
            ("redis minute", "shop/topics/redis.md"),  # one is the note's, one the entry's
            ("met", "shop/notes/meeting.md"),  # not only in core/
            ("%", ""),
            ("_", ""),
        ],
    )
    def test_what_is_found(self, shelf: Terminal, words: str, path: str) -> None:
        paths = places(shelf, words)
        assert (path in paths) if path else not paths

    def test_tags_of_notes_and_of_entries(self, shelf: Terminal) -> None:
        assert places(shelf, "redis", "--tag", "tests") == ["shop/topics/redis.md"]
        assert places(shelf, "--tag", "cache", "--tag", "INFRA") == ["shop/topics/redis.md"] * 4
        assert places(shelf, "redis", "--tag", "never") == []

    def test_one_scope_only(self, shelf: Terminal) -> None:
        assert places(shelf, "redis", "--scope", "global") == ["global/USER.md"]
        assert set(places(shelf, "redis", "-s", "project")) == {"shop/topics/redis.md", "shop/archive/old.md"}

    @pytest.mark.parametrize(
        ("pattern", "path"),
        [
            (r"port\s+\d{4}", "shop/topics/redis.md"),
            (r"^- \[ \]", "shop/core/TASK.md"),
            (r"LISTENS", "shop/topics/redis.md"),
            (r"(?-i:LISTENS)", ""),
            (r"\p{Han}+", "global/USER.md"),
        ],
    )
    def test_patterns(self, shelf: Terminal, pattern: str, path: str) -> None:
        paths = places(shelf, "--regex", pattern)
        assert (path in paths) if path else not paths

    @pytest.mark.parametrize("pattern", ["(", "[z-a]", "a{5,1}", "(?P<x", "*", "x" * 2000, "(?P>nowhere)"])
    def test_what_is_no_pattern_is_told_in_one_line(self, shelf: Terminal, pattern: str) -> None:
        answer = shelf("search", "-e", "--", pattern)
        assert (answer.code, answer.out) == (2, "")
        assert "pattern" in answer.err or "expression" in answer.err

    @pytest.mark.parametrize("pattern", ["--pre=touch sprung", "-f/etc/passwd", "$(touch sprung)", "`id`"])
    def test_a_pattern_is_matched_and_nothing_else(self, shelf: Terminal, pattern: str) -> None:
        for how in ([], ["--regex"]):
            assert shelf("search", *how, "--", pattern).code in (2, 3)
        assert not list(shelf.machine.home.rglob("sprung"))

    def test_nothing_found_and_nothing_asked(self, shelf: Terminal) -> None:
        answer = shelf("search", "nowhere to be found")
        assert (answer.code, answer.out) == (3, "")
        assert shelf("search").code == 2
        assert shelf("search", "x", "--scope", "glbal").code == 3

    def test_more_than_the_limit_is_told(self, shelf: Terminal) -> None:
        answer = shelf("search", "redis", "--limit", "2")
        assert len(answer.out.splitlines()) == 2
        assert "only the first 2" in answer.err

    def test_what_was_just_written_is_found(self, notes: Terminal) -> None:
        notes("remember", "quokkas are small")
        assert places(notes, "quokka") == ["shop/MEMORY.md"]

    def test_one_bad_note_spoils_nothing(self, notes: Terminal) -> None:
        notes.machine.write("shop/bad.md", "---\ndescription: [\n---\n- redis here as well\n")
        assert "shop/bad.md" in places(notes, "redis")

    def test_what_is_no_note_is_not_found(self, notes: Terminal) -> None:
        notes.machine.write("README.md", "- quokka\n")
        notes.machine.write("global/zoo.md", "- quokka\n")
        assert places(notes, "quokka") == ["global/zoo.md"]


class TestTags:
    def test_the_most_used_first(self, shelf: Terminal) -> None:
        tags = shelf("tags", "--json").data["tags"]
        assert [tag for tag in tags if tag["name"] != "memory"] == [
            {"name": "Cache", "notes": 1, "entries": 0},
            {"name": "infra", "notes": 1, "entries": 0},
            {"name": "tests", "notes": 0, "entries": 1},
        ]
        assert [tag["name"] for tag in shelf("tags", "-s", "global", "--json").data["tags"]] == ["memory"]

    def test_tags_are_given_and_taken(self, notes: Terminal) -> None:
        data = notes("tags", "topics/redis.md", "--add", "ops", "--remove", "cache", "--json").data
        assert (data["tags"], data["changed"]) == (["infra", "ops"], True)
        text = NOTES["shop/topics/redis.md"].replace("[infra, Cache]", "[infra, ops]")
        assert notes.machine.read("shop/topics/redis.md") == text
        assert notes("tags", "topics/redis.md", "--add", "Ops", "--json").data["changed"] is False

    @pytest.mark.parametrize(
        "words", [["--remove", "x"], ["--add", "x"], ["topics/redis.md", "--add", "a b"]]
    )
    def test_what_makes_no_sense(self, shelf: Terminal, words: list[str]) -> None:
        assert shelf("tags", *words).code == 2

    def test_those_of_one_note(self, shelf: Terminal) -> None:
        assert shelf("tags", "redis").out == "shop/topics/redis.md [infra, Cache]\n"

    def test_a_head_that_can_not_be_read_is_not_written_over(self, notes: Terminal) -> None:
        bad = "---\ntags: [a\n---\n- x\n"
        notes.machine.write("shop/bad.md", bad)
        assert notes("tags", "bad.md", "--add", "x").code == 6
        assert notes.machine.read("shop/bad.md") == bad


class TestLinks:
    def test_from_and_to_a_note_and_nowhere(self, notes: Terminal) -> None:
        known = notes("search", "6380", "--json").data["hits"][0]["id"]
        notes.machine.write(
            "shop/index.md",
            f"- see [[redis]], [[global:USER|me]], [[topics/redis#Redis]], [[{known}]], [[gone]], [[x]]\n",
        )
        links = notes("links", "index.md", "--json").data
        assert [(link["link"], link["to"]) for link in links["outgoing"]] == [
            ("redis", "shop/topics/redis.md"),
            ("global:USER|me", "global/USER.md"),
            ("topics/redis#Redis", "shop/topics/redis.md"),
            (known, "shop/topics/redis.md"),
            ("gone", ""),
            ("x", ""),  # there is one, in another project
        ]
        incoming = notes("links", "topics/redis.md", "--json").data["incoming"]
        assert [link["at"] for link in incoming] == ["shop/index.md#L1"] * 3
        assert [link["link"] for link in notes("links", "--json").data["broken"]] == ["gone", "x"]
        assert "[[gone]] is broken" in notes("links").out
        assert notes("links", "--scope", "global").out == "no broken links\n"
        assert notes("links", "global:USER").out.startswith("global/USER.md <- ")
        assert notes("links", "global:MEMORY").out == "no links from it or to it\n"


@pytest.mark.parametrize(
    "head", ["name: Zanzibar", "aliases: [other, Zanzibar]", "aliases:\n  - Zanzibar", "aliases: Zanzibar"]
)
def test_a_note_is_found_by_the_names_that_other_programs_give_it(cli: Terminal, head: str) -> None:
    cli.machine.write("shop/places.md", f"---\ndescription: d\n{head}\naliases_of: 7\n---\n- a fact\n")
    cli("sync")
    assert cli("search", "zanzibar").out.startswith("shop/places.md")
    for odd in ("name: 7", "aliases: {a: b}", "aliases: [1, null]"):
        cli.machine.write("shop/odd.md", f"---\ndescription: d\n{odd}\n---\n- b\n")
    assert cli("sync").code == 0
