"""The tape's part of the extension: the command each tool runs, what it says, and the labels in pi's tree."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from checkout import CHECKOUT
from nodejs import NODE, needs_node

MODULES = CHECKOUT / "hooks" / "pi" / "ctxrepo"
DRIVE = Path(__file__).with_name("tape.mjs")

TYPEBOX = """\
const made = (type) => (first, options) => ({ type, of: first, ...options });
export const Type = new Proxy({}, { get: (_all, type) => made(type) });
"""
PI = "export const truncateHead = (content) => ({ content, truncated: false });"
"""What the tools take from pi and typebox, as far as they need it here."""

NEVER = {"-": "-"}
"""Labels that no tree shows: who waits for them waits for as long as anybody may need."""

ON = {"tools": True, "prefix": "⚓ "}

NAMES = [f"tape_{name}" for name in ("handoff", "info", "search", "read", "list", "delete", "reset")]


class Extension:
    """Its modules in a folder; a stand-in for ctxrepo notes its words and answers with `data`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._words = folder / "words"
        self._answer = folder / "answer.json"
        for file in MODULES.glob("*.ts"):
            (folder / file.name).write_text(file.read_text("utf-8"))
        for package, text in (("typebox", TYPEBOX), ("@earendil-works/pi-coding-agent", PI)):
            place = folder / "node_modules" / package
            place.mkdir(parents=True)
            (place / "package.json").write_text('{"type": "module", "main": "index.js"}')
            (place / "index.js").write_text(text)
        self.answer({})

    def answer(self, data: object, code: int = 0) -> None:
        """What ctxrepo says from now on."""
        error = {"code": "not_found", "message": "there is nothing", "hint": ""} if code else None
        answer = {"schema_version": 1, "ok": not code, "data": None if code else data, "error": error}
        self._answer.write_text(json.dumps(answer))
        (self._folder / "code").write_text(str(code))

    def does(self, *deeds: Sequence[object], **given: object) -> list[Any]:
        """What came of each of these deeds, one after the other; node complains of nothing."""
        at = self._folder
        command = f"printf '%s\\0' \"$@\" > {at}/words; cat {at}/answer.json; exit $(cat {at}/code)"
        done = subprocess.run(
            [NODE, "--disable-warning=ExperimentalWarning", str(DRIVE), str(at), command],
            input=json.dumps({"do": deeds, **given}),
            capture_output=True,
            text=True,
            timeout=60,
            env={"PATH": os.defpath},
        )
        assert (done.returncode, done.stderr) == (0, "")
        answers: list[Any] = json.loads(done.stdout)
        return answers

    def says(self, tool: str, params: Mapping[str, object], **given: object) -> str:
        """What this tool says to the model."""
        answer = self.does(("follow", ON), ("call", tool, params), **given)[1]
        return answer if isinstance(answer, str) else str(answer["content"][0]["text"])

    def words(self) -> list[str]:
        """The words with which ctxrepo was run last; none where it wasn't."""
        return self._words.read_text("utf-8").split("\0")[:-1] if self._words.exists() else []


@pytest.fixture
def extension(tmp_path: Path) -> Extension:
    return Extension(tmp_path)


def anchor(name: str, entry: str = "e1", **more: object) -> dict[str, object]:
    """An anchor as `ctxrepo tape` prints one."""
    places = {"agent": "pi", "session": "s1", "entry": entry, "host": "a", "project": "shop"}
    about = {"trigger": "direct", "keywords": [], "summary": "", "purpose": ""}
    at = {"id": f"id-{name}", "name": name, "type": "handoff", "when": "2026-11-25T15:40:00.000Z"}
    return {**at, **places, **about, **more}


def message(
    name: str, parent: str | None, role: str = "user", text: str = "hi", **more: str
) -> dict[str, object]:
    message = {"role": role, "content": [{"type": "text", "text": text}] if text else [], **more}
    return {"type": "message", "id": name, "parentId": parent, "message": message}


def hidden(name: str, parent: str | None, kind: str = "model_change") -> dict[str, object]:
    return {"type": kind, "id": name, "parentId": parent}


CALLS = [
    (
        "tape_handoff",
        {"name": "--task/begin", "summary": "Retries: 8 s", "purpose": "retries"},
        "anchor --summary=Retries: 8 s --purpose=retries --entry=e2 --json -- --task/begin",
    ),
    ("tape_handoff", {"name": "done"}, "anchor --entry=e2 --json -- done"),
    ("tape_info", {}, "tape info --json"),
    ("tape_search", {}, "tape search --in=anchors --in=messages --json"),
    ("tape_search", {"query": "--x"}, "tape search --in=anchors --in=messages --json -- --x"),
    ("tape_search", {"scan": "a b", "kinds": ["anchor"]}, "tape search --in=anchors --json -- a b"),
    ("tape_search", {"kinds": ["anchor", "entry"]}, "tape search --in=anchors --in=messages --json"),
    (
        "tape_search",
        {"kinds": ["entry", "entry"], "limit": 100},
        "tape search --in=messages --limit=100 --json",
    ),
    (
        "tape_search",
        {"contextLines": 5, "types": ["user", "tool"], "sinceAnchor": "a"},
        "tape search --in=anchors --in=messages --context=5 --after=a --type=user --type=tool --json",
    ),
    (
        "tape_search",
        {"betweenAnchors": {"start": "a", "end": "b"}, "sinceAnchor": "c", "lastAnchor": True},
        "tape search --in=anchors --in=messages --after=a --until=b --last --json",
    ),
    (
        "tape_search",
        {"betweenDates": {"start": "2026-11-01", "end": "2026-11-02"}, "anchorScope": "project"},
        "tape search --in=anchors --in=messages --in=project --from=2026-11-01 --to=2026-11-02 --json",
    ),
    (
        "tape_search",
        {"entryScope": "session", "anchorScope": "project"},
        "tape search --in=anchors --in=messages --in=project --json",
    ),
    (
        "tape_search",
        {"anchorName": "n", "anchorType": "handoff", "anchorSummary": "s", "anchorPurpose": "p"},
        "tape search --in=anchors --in=messages --name=n --anchor-type=handoff --summary=s --purpose=p"
        " --json",
    ),
    (
        "tape_search",
        {"anchorKeywords": ["a", "b"]},
        "tape search --in=anchors --in=messages --keyword=a --keyword=b --json",
    ),
    (
        "tape_search",
        {"kinds": ["entry"], "entryScope": "session", "anchorScope": "project"},
        "tape search --in=messages --in=session --json",
    ),
    ("tape_read", {}, "tape read --json"),
    ("tape_read", {"afterAnchor": "a", "maxContentChars": 80}, "tape read --after=a --chars=80 --json"),
    ("tape_read", {"lastAnchor": True, "maxContentChars": None}, "tape read --last --chars=0 --json"),
    (
        "tape_read",
        {"betweenAnchors": {"start": "a", "end": "b"}, "afterAnchor": "c", "scan": "x", "types": ["agent"]},
        "tape read --after=a --until=b --type=agent --scan=x --json",
    ),
    (
        "tape_read",
        {"betweenDates": {"start": "1", "end": "2"}, "entryScope": "session", "limit": 1},
        "tape read --in=session --from=1 --to=2 --limit=1 --json",
    ),
    ("tape_list", {}, "tape list --json"),
    ("tape_list", {"limit": 3, "contextLines": 0}, "tape list --limit=3 --context=0 --json"),
    ("tape_delete", {"id": "a"}, "tape delete --json -- a"),
    ("tape_delete", {"id": " a ", "ids": ["b", "a", ""]}, "tape delete --json -- a b"),
    ("tape_reset", {}, "tape reset --json"),
    ("tape_reset", {"archive": False}, "tape reset --json"),
]


@needs_node
@pytest.mark.parametrize(("tool", "params", "words"), CALLS)
def test_d54_d63_each_tool_runs_the_command_that_its_parameters_mean(
    extension: Extension, tool: str, params: dict[str, object], words: str
) -> None:
    extension.says(tool, params, entries=[message("e1", None), message("e2", "e1")])
    assert " ".join(extension.words()) == words


@needs_node
def test_d54_d62_what_was_left_or_deleted_is_told_in_json(extension: Extension) -> None:
    left = anchor("a", trigger="keyword", keywords=["k"], summary="s")
    written = {key: left[key] for key in ("id", "name", "type", "entry", "trigger")}
    meta = {"keywords": ["k"], "summary": "s", "trigger": "keyword"}
    more = {"timestamp": left["when"], "meta": meta, "host": "a", "path": "TAPE/shop/a.jsonl"}
    extension.answer({**written, **more})
    wanted = {
        key: left[key] for key in ("id", "name", "type", "when", "entry", "trigger", "keywords", "summary")
    }
    assert json.loads(extension.says("tape_handoff", {"name": "a"})) == wanted
    extension.answer({"deleted": [anchor("a"), anchor("b")]})
    head, *lines = extension.says("tape_delete", {"ids": ["id-a", "id-b"]}).split("\n")
    assert head == "Deleted 2:"
    assert [json.loads(line)["name"] for line in lines] == ["a", "b"]


@needs_node
def test_d58_d61_answers_are_told_in_lines(extension: Extension) -> None:
    entry = {"id": "e1", "who": "user", "when": "12:00", "text": "which port?", "tools": []}
    call = {**entry, "who": "agent", "text": "", "tools": ["bash", "read"]}
    counts = {"all": 3, "handoff": 2, "session": 1}
    info = {"project": "shop", "entries": 30, "anchors": counts, "last": anchor("a"), "since": 21}
    extension.answer({**info, "advice": "leave one"})
    assert extension.says("tape_info", {}).split("\n") == [
        "Tape of shop: 30 entries in this session",
        "Anchors: 3, of them 2 handoffs",
        "Last anchor: a (2026-11-25T15:40:00.000Z) id=id-a",
        "Entries since: 21",
        "leave one",
    ]
    extension.answer({"anchors": [anchor("a", summary="s")], "entries": [entry, call], "scope": "project"})
    assert extension.says("tape_search", {"query": "x"}).split("\n") == [
        "Found 1 anchor, 2 entries in the project",
        "",
        "Anchors:",
        '  id=id-a a [handoff] (2026-11-25T15:40:00.000Z) {"trigger":"direct","summary":"s"}',
        "Entries:",
        "12:00 user: which port?",
        "12:00 agent:  [bash, read]",
    ]
    extension.answer({"entries": [entry], "after": None, "until": None})
    assert extension.says("tape_read", {}) == "1 entry:\n\n12:00 user: which port?"
    extension.answer({"anchors": [anchor("a", trigger="", before=[entry], after=[])]})
    assert extension.says("tape_list", {}).split("\n") == [
        "Anchors (1):",
        "  id=id-a a [handoff] (2026-11-25T15:40:00.000Z)",
        "    Before: 12:00 user: which port?",
    ]
    extension.answer({"archived": 2, "paths": ["TAPE/a"], "anchor": None})
    assert extension.says("tape_reset", {}) == "2 anchor(s) archived in TAPE/a; the tape begins anew."


@needs_node
def test_what_is_not_there_is_said_and_what_is_wrong_is_an_error(extension: Extension) -> None:
    assert extension.says("tape_delete", {"ids": [" "]}) == (
        "Give the id of an anchor; tape_search and tape_list show ids."
    )
    extension.answer({"anchors": [], "entries": [], "scope": "project"})
    assert extension.says("tape_search", {}) == "No results."
    extension.answer(None, code=3)
    assert extension.says("tape_list", {}).startswith("No anchors here.")
    answer = extension.does(("follow", ON), ("call", "tape_search", {}))[1]
    assert (answer["content"][0]["text"], answer["isError"]) == ("there is nothing", False)
    for tool in ("tape_read", "tape_delete"):
        answer = extension.does(("follow", ON), ("call", tool, {"id": "x"}))[1]
        assert (answer["content"][0]["text"], answer["isError"]) == ("there is nothing", True)


@needs_node
@pytest.mark.parametrize("tape", [None, {"tools": False, "prefix": "⚓ "}])
def test_tools_of_the_tape_are_offered_only_where_they_are_asked_for(
    extension: Extension, tape: dict[str, object] | None
) -> None:
    first, then = extension.does(("follow", tape), ("tools",), ("follow", ON), ("tools",))[1::2]
    assert first == []
    assert [tool["name"] for tool in then] == NAMES


@needs_node
def test_a_tool_that_another_extension_has_is_left_to_it(extension: Extension) -> None:
    tools = extension.does(("follow", ON), ("follow", ON), ("tools",), others=["tape_read"])[2]
    assert sorted(tool["name"] for tool in tools) == sorted(NAMES)
    assert [set(tool) for tool in tools if tool["name"] == "tape_read"] == [{"name"}]


@needs_node
def test_parameters_of_other_names_are_refused_and_numbers_have_bounds(extension: Extension) -> None:
    tools = extension.does(("follow", ON), ("tools",))[1]
    assert {tool["parameters"]["additionalProperties"] for tool in tools} == {False}
    search, read = (tool["parameters"]["of"] for tool in (tools[2], tools[3]))
    bounds = {name: search[name]["of"] for name in ("limit", "contextLines")}
    spans = {name: (bound["of"]["minimum"], bound["of"]["maximum"]) for name, bound in bounds.items()}
    assert spans == {"limit": (1, 100), "contextLines": (0, 5)}
    assert read["maxContentChars"]["of"]["of"][0]["of"]["minimum"] == 80
    assert search["betweenDates"]["of"]["of"]["additionalProperties"] is False


def labels(extension: Extension, entries: list[Any], anchors: list[Any], **given: Any) -> dict[str, str]:
    """The labels in the tree of a session with these entries and anchors."""
    extension.answer({"anchors": anchors})
    deeds = [("follow", ON), ("wait", NEVER), ("shown",)]
    marks: dict[str, str] = extension.does(*deeds, entries=entries, **given)[2]
    return marks


LINE = [message("e1", None), message("e2", "e1", "assistant"), message("e3", "e2")]


@needs_node
def test_d64_up_to_three_newest_names_and_how_many_more(extension: Extension) -> None:
    def label(*names: str) -> str:
        wanted = labels(extension, LINE, [anchor(name) for name in names])
        return wanted["e1"]

    assert label("a") == "⚓ a"
    assert label("a", "b", "c") == "⚓ a · b · c"
    assert label("a", "b", "c", "d", "e") == "⚓ c · d · e +2"
    assert label("a", "b", "c", "d", "a") == "⚓ c · d · a +1", "the newest of a name counts"
    assert label("a\x1b[31m\nb") == "⚓ a [31m b", "a terminal obeys no name"
    words = ["tape", "list", "--json", "--session=s1", "--type=handoff", "--context=0", "--limit=100"]
    assert extension.words() == words


@needs_node
def test_d64_behind_the_users_own_label(extension: Extension) -> None:
    marks = labels(extension, LINE, [anchor("a"), anchor("b", "e3")], labels={"e1": "bug", "e2": "mine"})
    assert marks == {"e1": "bug · ⚓ a", "e2": "mine", "e3": "⚓ b"}


@needs_node
def test_d64_at_the_entry_or_the_nearest_that_is_shown_below_or_above(extension: Extension) -> None:
    silent = message("e2", "e1", "assistant", "", stopReason="toolUse")
    result = message("e3", "e2", "toolResult")
    assert labels(extension, [LINE[0], silent, result], [anchor("a", "e2")]) == {"e3": "⚓ a"}
    assert labels(extension, [LINE[0], silent], [anchor("a", "e2")]) == {"e1": "⚓ a"}
    torn = message("e2", "e1", "assistant", "", stopReason="error")
    assert labels(extension, [LINE[0], torn], [anchor("a", "e2")]) == {"e2": "⚓ a"}
    near = [
        message("e1", None),
        hidden("h1", "e1"),
        hidden("h2", "h1"),
        message("e4", "h2"),
        message("e5", "h1"),
    ]
    assert labels(extension, near, [anchor("a", "h1")]) == {"e5": "⚓ a"}, "a child before a grandchild"
    assert labels(extension, near, [anchor("a", "h1"), anchor("b", "e5")]) == {"e5": "⚓ a · b"}
    assert labels(extension, near, [anchor("a", "gone")]) == {}


@needs_node
def test_d64_they_are_rebuilt_and_never_handed_to_pi(extension: Extension) -> None:
    extension.answer({"anchors": [anchor("a"), anchor("b", "e3")]})
    first, both = {"e1": "⚓ old · x", "e3": "tip · ⚓ y"}, {"e1": "⚓ a", "e3": "tip · ⚓ b"}
    answers = extension.does(
        ("follow", ON),
        ("wait", both),
        ("shown",),
        ("edit", "e3", "top · ⚓ b"),
        ("edit", "e1", "⚓ a for sure"),
        ("edit", "e1", "⚓ a"),
        ("edit", "e2", "plain ⚓ word"),
        ("written",),
        ("follow", {"tools": True, "prefix": "# "}),
        ("shown",),
        ("follow", None),
        ("shown",),
        ("follow", ON),
        ("end",),
        ("shown",),
        ("edit", "e3", "top · ⚓ b"),
        ("written",),
        entries=LINE,
        labels=first,
    )
    assert answers[2] == both, "what an earlier version of a file holds of ours isn't shown again"
    assert answers[7] == [["e3", "top"], ["e1", "for sure"], ["e1", None], ["e2", "plain ⚓ word"]]
    assert answers[9] == {"e1": "⚓ old · x · # a", "e3": "tip · ⚓ y · # b"}, "another prefix"
    assert answers[11] == first, "a session of which nothing is kept"
    assert answers[14] == first, "pi has its own methods back"
    assert answers[16][-1] == ["e3", "top · ⚓ b"]


@needs_node
@pytest.mark.parametrize(
    ("tool", "given", "is_new"),
    [
        ("tape_handoff", {}, True),
        ("tape_delete", {}, True),
        ("tape_reset", {}, True),
        ("bash", {"command": "ctxrepo anchor a"}, True),
        ("bash", {"command": "cd x && ~/.local/bin/ctxrepo handoff"}, True),
        ("bash", {"command": "ctxrepo search anchor"}, True),
        ("bash", {"command": "ls anchor"}, False),
        ("tape_read", {}, False),
        ("read", {"path": "ctxrepo anchor"}, False),
    ],
)
def test_d64_anchors_are_asked_for_anew_when_one_is_left(
    extension: Extension, tool: str, given: dict[str, str], is_new: bool
) -> None:
    bare = [hidden("h1", None)]
    extension.does(("follow", ON), ("wait", NEVER), entries=bare)
    assert extension.words() == [], "a session without messages has no anchors yet"
    extension.does(("follow", ON), ("result", tool, given), ("wait", NEVER), entries=bare)
    assert bool(extension.words()) is is_new


@needs_node
def test_nobody_is_asked_where_nobody_sees_a_tree(extension: Extension) -> None:
    deeds = [("follow", ON), ("result", "tape_handoff", {}), ("wait", NEVER), ("shown",)]
    assert extension.does(*deeds, entries=LINE, hasUI=False)[3] == {}
    assert extension.words() == []


@needs_node
def test_nobody_is_asked_where_no_tape_is_kept(extension: Extension) -> None:
    extension.does(("follow", None), ("result", "tape_handoff", {}), ("wait", NEVER), entries=LINE)
    assert extension.words() == []
