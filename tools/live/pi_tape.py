"""What pi's sessions have of the tape: its tools, anchors that are asked for, and labels in the tree."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from live.pi_talk import Talk
from live.play import PORT, TESTS, Play
from live.recorded import added
from live.steps import Text, Tool
from live.terminal import ESC, Terminal

TOOLS = tuple(f"tape_{name}" for name in ("handoff", "info", "search", "read", "list", "delete", "reset"))

NOTHING = "nothing on the tape fits"
MANUAL = "tape.mode is manual"

KEYWORD = re.compile(r"handoff/keyword-migration-\d{6}")

_CALLS: Sequence[tuple[str, dict[str, Any], str]] = (
    (
        "handoff",
        {"name": "redis/port", "summary": "Redis is on 6380", "purpose": "port"},
        '"name":"redis/port"',
    ),
    ("handoff", {"name": "--odd name", "summary": "-x"}, '"name":"--odd name"'),
    ("handoff", {"name": ""}, "name"),
    ("handoff", {"name": "a", "trigger": "manual"}, "trigger"),
    ("info", {}, "Last anchor: --odd name"),
    ("list", {}, "redis/port [handoff]"),
    ("list", {"limit": 1, "contextLines": 0}, "--odd name [handoff]"),
    ("list", {"limit": 0}, "limit"),
    ("search", {"query": "redis listen", "kinds": ["entry"]}, PORT),
    ("search", {"anchorName": "PORT", "kinds": ["anchor"]}, "redis/port [handoff]"),
    ("search", {"anchorSummary": "6380", "contextLines": 1, "kinds": ["anchor"]}, PORT),
    ("search", {"scan": "nosuchword"}, NOTHING),
    ("search", {"limit": 101}, "limit"),
    ("search", {"sinceAnchor": "nosuchanchor"}, "nosuchanchor"),
    ("read", {"betweenDates": {"start": "2000-01-01", "end": "2999-01-01"}, "types": ["user"]}, PORT),
    ("read", {"afterAnchor": "redis/port", "maxContentChars": None}, "entries:"),
    ("read", {"maxContentChars": 79}, "maxContentChars"),
    ("read", {"lastAnchor": True, "betweenAnchors": {"start": "redis/port"}}, "end"),
    ("delete", {}, "Give the id of an anchor"),
    ("delete", {"id": "nosuchid"}, "nosuchid"),
)
"""(tool, what it is given, what its result says), one after the other."""


class Later(Tool):
    """A tool whose arguments are found when the model is asked: in what it was told until then."""

    def __init__(self, play: Play, name: str, find: Callable[[str], dict[str, Any]]) -> None:
        super().__init__(name)
        object.__setattr__(self, "_ask", lambda: find("\n".join(added(None, play.prompts()[-1]))))

    def __getattribute__(self, name: str) -> Any:
        return super().__getattribute__("_ask")() if name == "given" else super().__getattribute__(name)


def tape_tools(play: Play) -> None:
    """Every tool of the tape, good and bad; none is offered before somebody asks for them."""
    turns = play.turns()
    turns.say(TESTS)
    play.report.look("without the setting none is offered", not _offered(play), _offered(play))
    play.stage.ctxrepo("config", "set", "tape.tools", "true")
    before = len(play.prompts())
    play.stage.model.will(*[Tool(f"tape_{name}", given) for name, given, _ in _CALLS], Text())
    turns = play.turns()
    turns.say(PORT)
    play.report.look("all are offered, once each", _offered(play) == sorted(TOOLS), _offered(play))
    results = added(play.prompts()[before], play.prompts()[-1])
    for (name, given, expected), seen in zip(_CALLS, results, strict=False):
        play.report.look(f"tape_{name} {json.dumps(given)[:70]}", expected in seen, seen)
    play.report.look("every call has its result", len(results) == len(_CALLS), len(results))
    left = _anchor(play, "redis/port")
    play.report.look("its trigger is not the model's to say", left["trigger"] == "direct", left)
    entry = _entries(play, left["session"]).get(left["entry"], {})
    called = json.dumps(entry.get("message", {}))
    play.report.look("it names the entry at which it was left", "redis/port" in called, called)
    play.asks_for_silence()


def tape_two_sessions(play: Play) -> None:
    """What one session left and said is found and read by the next; a third deletes and resets."""
    play.stage.ctxrepo("config", "set", "tape.tools", "true")
    play.stage.model.will(Tool("tape_handoff", {"name": "task/begin", "summary": "Find the port"}), Text())
    first = play.talk()
    first.say(f"{PORT} We take wolfram.")
    first.say("And heron is rebooted on Sundays, by hand.")
    first.end()
    talk = play.talk()
    project = {"anchorScope": "project"}
    after = {"afterAnchor": "task/begin", **project}
    seen = _result(play, talk, "tape_read", after)
    play.report.look("the next one reads what came after the anchor", "heron is rebooted" in seen, seen)
    play.report.look("and not what came before", "wolfram" not in seen, seen)
    seen = _result(play, talk, "tape_search", {"query": "wolfram", **project})
    play.report.look("it finds what was said before", "We take wolfram" in seen, seen)
    talk.end()
    talk = play.talk()
    seen = _result(play, talk, "tape_search", {"anchorName": "task/begin", **project})
    match = re.search(r"id=(\S+) task/begin", seen)
    play.report.look("the search names its id", match is not None, seen)
    seen = _result(play, talk, "tape_delete", {"id": match[1] if match else ""})
    play.report.look("by that it is deleted", '"name":"task/begin"' in seen, seen)
    seen = _result(play, talk, "tape_search", {"anchorName": "task/begin", "kinds": ["anchor"], **project})
    play.report.look("and is gone", NOTHING in seen, seen)
    _result(play, talk, "tape_handoff", {"name": "task/again"})
    seen = _result(play, talk, "tape_reset", {"archive": True})
    play.report.look("a reset archives", "archived" in seen and "begins anew" in seen, seen)
    seen = _result(play, talk, "tape_list", {})
    play.report.look("and the tape is empty but for that", "task/again" not in seen, seen)
    kept = [
        file for file in (play.stage.memory / "TAPE").rglob("archive/*") if "task/again" in file.read_text()
    ]
    play.report.look("what it had is in the archive", len(kept) == 1, kept)
    talk.end()
    play.asks_for_silence()


def tape_keyword(play: Play) -> None:
    """pi-memory-md's settings in pi: a keyword in a prompt asks for an anchor of a given name."""
    _pi_settings(play, {"anchor": {"keywords": {"global": ["migration"]}, "mode": "manual"}})
    talk = play.talk()
    seen = _result(play, talk, "tape_handoff", {"name": "task/begin"})
    play.report.look("in manual mode a call that nobody asked for is refused", MANUAL in seen, seen)
    named = Later(
        play, "tape_handoff", lambda text: {"name": KEYWORD.findall(text)[-1], "summary": "Move it"}
    )
    before = len(play.prompts())
    play.stage.model.will(named, Text())
    talk.say("Please begin the migration of redis to port 6399")
    prompt = "".join(added(None, play.prompts()[before]))
    play.report.look(
        "the prompt asks for tape_handoff", "tape_handoff" in prompt and KEYWORD.search(prompt) is not None
    )
    results = "".join(added(play.prompts()[before], play.prompts()[-1]))
    play.report.look("which the model leaves", '"trigger":"keyword"' in results, results)
    play.report.look("with the keyword", '"keywords":["migration"]' in results, results)
    wrong = Tool("tape_handoff", {"name": "migration"})
    before = len(play.prompts())
    play.stage.model.will(wrong, named, Text())
    talk.say("Now the migration of the other one, please")
    first, second = [*added(play.prompts()[before], play.prompts()[-1]), "", ""][:2]
    play.report.look("another name than that is refused", MANUAL in first, first)
    play.report.look("and takes the permission with it", MANUAL in second, second)
    play.continues(play.prompts())
    talk.end()
    play.report.look("pi complained of nothing", not talk.errors(), talk.errors()[:300])
    play.asks_for_silence()


def tape_asked(play: Play) -> None:
    """`/memory-anchor` asks the model for an anchor, in rpc and in print mode; `/memory-tape` shows it."""
    _pi_settings(play, {"anchor": {"mode": "manual"}})
    talk = play.talk()
    seen = talk.shown("memory-anchor")
    play.report.look("without words it says what to type", "/memory-anchor the retries" in seen, seen)
    play.report.look("and asks nobody", not play.prompts(), len(play.prompts()))
    play.stage.model.will(Tool("tape_handoff", {"name": "retries/work", "summary": "They work"}), Text())
    talk.say('/memory-anchor --the "retries" work')
    text = "".join(added(None, play.prompts()[0]))
    play.report.look("the model is told what it is about", '--the "retries" work' in text, text[-400:])
    results = "".join(added(play.prompts()[0], play.prompts()[-1]))
    play.report.look("and leaves it", '"trigger":"manual"' in results, results)
    play.report.look("nothing is recalled for it", not any("6380" in block for block in play.given(0)))
    seen = talk.shown("memory-tape")
    play.report.look("/memory-tape shows it", "retries/work" in seen, seen)
    seen = talk.shown("memory-tape retries")
    play.report.look("/memory-tape with words too", "retries/work" in seen, seen)
    talk.end()
    play.report.look("pi complained of nothing", not talk.errors(), talk.errors()[:300])
    before = len(play.prompts())
    play.stage.model.will(Tool("tape_handoff", {"name": "print/works"}), Text())
    play.turns().say("/memory-anchor print mode works")
    play.report.look("in print mode too", len(play.prompts()) == before + 2, len(play.prompts()) - before)
    left = _anchor(play, "print/works")
    play.report.look("its trigger is the user", left["trigger"] == "manual", left)
    play.asks_for_silence()


def tape_labels(play: Play) -> None:
    """Anchors stand as labels in the tree, behind the user's own, and in no file of pi's."""
    _pi_settings(play, {"anchor": {"labelPrefix": "# "}})
    talk = play.talk()
    for name in ("one", "two", "three", "four"):
        play.stage.model.will(Tool("tape_handoff", {"name": f"task/{name}"}), Text(f"Left {name}."))
        talk.say(f"Leave {name}.")
    wanted = ["# task/one", "# task/two", "# task/three", "# task/four"]
    labels_of = _labels(
        play, talk, lambda labels: [label for label in labels.values() if "task" in label] == wanted
    )
    play.report.look("each anchor at what the call said", [*labels_of.values()] == wanted, labels_of)
    roles = {_entries(play, "")[entry]["message"]["role"] for entry in labels_of}
    play.report.look("the nearest entry that the tree shows", roles == {"toolResult"}, roles)
    talk.command("clone")
    cloned = _labels(play, talk, lambda labels: not labels)
    play.report.look("a clone has none: they are of another session", not cloned, cloned)
    talk.end()
    files = _session_files(play)
    play.report.look(
        "no file of pi's has a label", not any('"label"' in file.read_text() for file in files), len(files)
    )
    _look_at_the_tree(play, wanted)
    play.asks_for_silence()


def _look_at_the_tree(play: Play, wanted: Sequence[str]) -> None:
    """Open the first session in a terminal, and its tree; give an entry a label of the user's there."""
    first = _session_files(play)[0]
    words = [*play.agent.command_line(play.stage), "--session", str(first)]
    with Terminal(play.stage, words, play.agent.ENV) as terminal:
        terminal.until("Left four.")
        seen = ""
        for _ in range(10):  # the anchors are asked for when the session has begun
            if wanted[-1] in seen:
                break
            at = terminal.place
            terminal.type(ESC)
            terminal.type("/tree\r")
            seen = terminal.until("[tape_handoff", at)
        play.report.look("a terminal shows them", all(f"[{label}]" in seen for label in wanted), seen[-1500:])
        at = terminal.place
        terminal.type("\x1b[A")  # from the last answer to the result of the call before it
        terminal.type("L")
        terminal.until("task/four", at)
        terminal.type("\x1b[Hmine \r")
        seen = terminal.until("mine", at)
        play.report.look("a label is put before it", "mine" in seen, seen[-500:])
        at = terminal.place
        terminal.type(ESC)
        terminal.type("/tree\r")
        seen = terminal.until("mine · # task/four", at)
        play.report.look("it stands before ours", "[mine · # task/four]" in seen, seen[-1500:])
    labels = [entry["label"] for entry in _entries(play, first.name).values() if entry["type"] == "label"]
    play.report.look("and is written alone", labels == ["mine"], labels)


def _labels(play: Play, talk: Talk, is_so: Callable[[dict[str, str]], bool]) -> dict[str, str]:
    """The labels of the tree as pi tells them, once they are so."""
    play.stage.wait(lambda: is_so(_labels_now(talk)), 10)
    return _labels_now(talk)


def _labels_now(talk: Talk) -> dict[str, str]:
    waiting, labels = [*talk.command("get_tree")["tree"]], {}
    while waiting:
        node = waiting.pop(0)
        waiting += node["children"]
        if node.get("label"):
            labels[str(node["entry"]["id"])] = str(node["label"])
    return labels


def _result(play: Play, talk: Talk, tool: str, given: dict[str, Any]) -> str:
    """What this tool says when the model calls it in a turn of its own."""
    before = len(play.prompts())
    play.stage.model.will(Tool(tool, given), Text())
    talk.say("Go on.")
    return "".join(added(play.prompts()[before], play.prompts()[before + 1]))


def _offered(play: Play) -> list[str]:
    """The tape's tools that the last request offers."""
    return sorted(tool["name"] for tool in json.loads(play.prompts()[-1].tools) if tool["name"] in TOOLS)


def _anchor(play: Play, name: str) -> dict[str, Any]:
    """The newest anchor of this name."""
    anchors = play.stage.json("tape", "list", "--limit", "100")["data"]["anchors"]
    newest: dict[str, Any] = [anchor for anchor in anchors if anchor["name"] == name][-1]
    return newest


def _pi_settings(play: Play, tape: dict[str, Any]) -> None:
    """Put pi-memory-md's settings of its tape into pi's own."""
    file = play.stage.machine.home / ".pi" / "agent" / "settings.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "pi-memory-md": {"tape": tape}}))
    play.stage.ctxrepo("status")  # hooks know them once a command, a worker or a session has read them


def _session_files(play: Play) -> list[Path]:
    return sorted((play.stage.machine.home / ".pi" / "agent" / "sessions").glob("*/*.jsonl"))


def _entries(play: Play, session: str) -> dict[str, dict[str, Any]]:
    """The entries of pi's session whose id holds these words, by their ids."""
    files = [file for file in _session_files(play) if session in file.name]
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    return {line["id"]: line for line in lines}


ALL: dict[str, Callable[[Play], None]] = {
    f"pi-{row.__name__.replace('_', '-')}": row
    for row in (tape_tools, tape_two_sessions, tape_keyword, tape_asked, tape_labels)
}
