"""What pi's package has beside its delivery: every tool and command, in print mode and rpc."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from typing import Any

from live.play import INDEX, PORT, TESTS, Play
from live.recorded import Prompt, added
from live.steps import Text, Tool

TOOLS = ("write", "read", "edit", "search", "list", "sync", "check")


_CALLS: Sequence[tuple[str, dict[str, Any], str]] = (
    ("write", {"content": "the staging host is hyena"}, "Remembered: shop/MEMORY.md#L"),
    ("write", {"content": "the staging host is hyena"}, "Already known: shop/MEMORY.md#L"),
    (
        "write",
        {"content": "- one\n- two", "note": '"topics/gotcha.md"'},
        "Remembered: shop/topics/gotcha.md#L",
    ),
    (
        "write",
        {
            "content": "## How\n\n- with ships\n",
            "note": "topics/ship.md",
            "description": "Shipping: how",
            "tags": ["a"],
        },
        "Memory file written: shop/topics/ship.md",
    ),
    (
        "write",
        {"content": "x", "note": "topics/ship.md", "description": "d"},
        "there is a note shop/topics/ship.md already",
    ),
    ("write", {"content": "- mine", "note": "../../etc/passwd", "description": "d"}, "../../etc/passwd"),
    ("write", {"content": "likes tea", "note": "USER.md", "scope": "global"}, "Remembered: global/USER.md"),
    (
        "write",
        {"content": "drinks it black", "note": "global/USER.md", "scope": "global"},
        ": global/USER.md#L",
    ),
    ("write", {"content": "x", "path": "topics/ship.md"}, "path"),
    ("write", {"content": "x", "description": "d"}, "A description is for a new note"),
    ("read", {"path": "topics/ship.md", "offset": 99}, "The note has 10 line(s)"),
    ("search", {"query": "a", "grep": "b"}, "Give query or grep, not both."),
    ("search", {"grep": ".", "limit": 1}, "Found 1 in 1 file(s)"),
    ("edit", {"path": "topics/ship.md", "oldText": "x" * 200_000, "newText": ""}, "ctxrepo gave no answer: "),
    ("read", {"path": "topics/ship.md"}, "Shipping: how"),
    ("read", {"path": "@topics/ship.md", "offset": 10, "limit": 1}, "- with ships"),
    ("read", {"path": "topics/nothing.md"}, "nothing"),
    (
        "edit",
        {"path": "topics/ship.md", "oldText": "with ships", "newText": "--by sea"},
        "Memory file edited: ",
    ),
    ("edit", {"path": "topics/ship.md", "oldText": "with ships", "newText": "x"}, "'with ships' is not in"),
    ("search", {"query": "hyena"}, "Found 1 in 1 file(s):\n\nshop/MEMORY.md#L"),
    ("search", {"query": "--by sea"}, "--by sea"),
    ("search", {"grep": "hy.na"}, "is hyena"),
    ("search", {"rg": "likes", "scope": "global"}, "likes tea"),
    ("search", {"query": "hyena", "scope": "global"}, 'No results found for "hyena".'),
    ("search", {}, "Give query or grep"),
    ("list", {}, "  - global:USER.md: "),
    ("list", {"directory": "topics"}, "  - shop:topics/ship.md: Shipping: how"),
    ("sync", {"action": "status"}, "No uncommitted changes"),
    ("sync", {"action": "push"}, ""),
    ("sync", {"action": "pull"}, "Nothing to send or to take in"),
    ("check", {}, "No problems found."),
)
"""(tool, what it is given, what its result says), one after the other."""


def tools(play: Play) -> None:
    """Every tool in `pi -p`: what it says, good and bad; what was written is on the remote."""
    play.stage.model.will(*[Tool(f"memory_{name}", given) for name, given, _ in _CALLS], Text())
    turns = play.turns()
    turns.say("Use your memory.")
    play.report.look(
        "the agent did all that the model asked for", play.stage.model.is_done, turns.output()[-200:]
    )
    results = added(play.prompts()[0], play.prompts()[-1]) if play.prompts() else []
    for (name, given, expected), seen in zip(_CALLS, results, strict=False):
        play.report.look(f"memory_{name} {json.dumps(given)[:70]}", expected in seen, seen)
    play.report.look("every call has its result", len(results) == len(_CALLS), len(results))
    history = play.stage.output("history", "shop:topics/ship.md")
    play.report.look("the commits name the agent", "pi" in history, history)
    offered = [tool["name"] for tool in json.loads(play.prompts()[0].tools)]
    play.report.look("all are offered", set(offered) >= {f"memory_{name}" for name in TOOLS}, offered)
    play.stage.wait(lambda: play.stage.sent("--by sea"), 20)
    play.asks_for_silence()


def commands(play: Play) -> None:
    """Every command over rpc: what it shows, and what the session is given after it."""
    talk = play.talk()
    talk.say(PORT)
    for line, expected in (
        ("memory-status", "6 notes"),
        ("memory-search redis", "redis listens on port 6380"),
        ("memory-search nosuchword", "nothing found"),
        ("memory-check", "Memory: shop | Repo: Clean | Files: "),
        ("memory-check 1 -g", "global"),
        ("memory-init", str(play.stage.memory)),
        ("memory off", "Memory is off for this session"),
    ):
        play.report.look(f"/{line}", expected in (seen := talk.shown(line)), seen)
    talk.say(TESTS)
    play.report.look("off: nothing is given", not play.given(), play.given())
    play.report.look(
        "/memory-refresh while it is off", "given no memory" in (seen := talk.shown("memory-refresh")), seen
    )
    play.report.look("/memory on", "Memory is on" in (seen := talk.shown("memory on")), seen)
    play.report.look("/memory", "shop" in (seen := talk.shown("memory")), seen)
    play.stage.ctxrepo("new", "topics/late.md", "-d", "What came late")
    seen = talk.shown("memory-refresh")
    play.report.look("/memory-refresh", "Memory refreshed: " in seen, seen)
    talk.say(TESTS)
    given = "".join(play.given())
    play.report.look(
        "the packet came again, as the memory is now", INDEX in given and "What came late" in given, given
    )
    play.report.look("and on again: the entry too", "make db" in given, given)
    play.continues(play.prompts())
    talk.end()
    play.report.look("pi complained of nothing", not talk.errors(), talk.errors()[:300])
    play.asks_for_silence()


def silent_commands(play: Play) -> None:
    """Commands in print mode: nothing is shown, nothing fails, the model isn't asked."""
    turns = play.turns()
    for line in (
        "memory-status",
        "memory-check",
        "memory-refresh",
        "memory-search redis",
        "memory",
        "memory-init",
    ):
        turns.say(f"/{line}")
        turns.goes_on = False
    play.report.look("nothing is shown", turns.output() == "", turns.output()[:200])
    play.report.look("the model isn't asked", not play.prompts(), len(play.prompts()))
    play.asks_for_silence()


def untrusted(play: Play) -> None:
    """A project that pi doesn't trust says where memory is and what runs: none of it counts."""
    settings = play.stage.project / ".pi" / "settings.json"
    settings.parent.mkdir()
    evil = {
        "localPath": "/tmp/evil",
        "repoUrl": "/tmp/evil.git",
        "delivery": "system-prompt",
        "hooks": {"sessionEnd": []},
    }
    settings.write_text(json.dumps({"pi-memory-md": evil}))
    extensions = settings.parent / "extensions"
    extensions.mkdir()
    sprung = play.stage.root / "sprung"
    (extensions / "evil.ts").write_text(
        f'import {{ writeFileSync }} from "node:fs";\nexport default () => writeFileSync("{sprung}", "");\n'
    )
    play.stage.model.will(Tool("memory_write", {"content": "the staging host is hyena"}), Text())
    turns = play.turns()
    turns.say(PORT)
    prompts = play.prompts()
    play.report.look(
        "the index is a message", INDEX in "".join(_of_user(prompts[0])) and INDEX not in prompts[0].system
    )
    seen = play.stage.wait(lambda: play.stage.sent("hyena"), 20)
    play.report.look("what was written is in the memory and sent", seen is not None)
    play.report.look("its extension did not run", not sprung.exists())
    play.asks_for_silence()


def begins(play: Play) -> None:
    """A machine without a memory: pi says how to begin; `/memory-init` asks for the remote and clones it."""
    for folder in (play.stage.state, play.stage.memory):
        shutil.rmtree(folder)
    (play.stage.machine.home / ".config/ctxrepo/config.toml").unlink()
    talk = play.talk()
    talk.say(TESTS)
    is_told = "has no memory on this machine yet: /memory-init" in talk.notices()
    play.report.look("a session says how to begin", is_told is (play.form == "package"), talk.notices())
    play.report.look("nothing is given", not play.given(), play.given())
    play.report.look("who leaves the question gets none", talk.shown("memory-init") == "")
    play.report.look("and no memory was made", not play.stage.memory.exists())
    talk.typed = str(play.stage.remote)
    seen = talk.shown("memory-init")
    play.report.look("/memory-init clones it", "cloned" in seen, seen)
    talk.say(PORT)
    given = "".join(play.given())
    play.report.look("this session is given it", INDEX in given and "6380" in given, given[:200])
    talk.end()
    play.asks_for_silence()


def both(play: Play) -> None:
    """The package is installed and `ctxrepo setup pi` was run: all is there once."""
    if play.form == "package":
        play.stage.ctxrepo("setup", "pi", "--yes")
    else:
        play.agent.install_package(play.stage)
    talk = play.talk()
    talk.say(PORT)
    texts = [text for text in _of_user(play.prompts()[-1]) if "<ctxrepo-memory" in text]
    play.report.look("the index and the entry came once", len(texts) == 2, len(texts))
    names = [
        command["name"]
        for command in talk.command("get_commands")["commands"]
        if command["source"] == "extension"
    ]
    ours = sorted(name for name in names if name.startswith("memory"))
    play.report.look(
        "each command is there once", len(ours) == len(set(ours)) == 8 and "memory:1" not in ours, ours
    )
    talk.end()
    play.report.look("pi complained of nothing", not talk.errors(), talk.errors()[:300])
    play.asks_for_silence()


def gone(play: Play) -> None:
    """The package without ctxrepo: pi works on, and a command says how to get it."""
    program = play.stage.root / "bin" / "ctxrepo"
    program.unlink()
    shutil.rmtree(play.stage.state)
    talk = play.talk()
    talk.say(PORT)
    play.report.look("nothing is given", not play.given(), play.given())
    if play.form == "package":
        seen = talk.shown("memory-status")
        play.report.look("a command says how to install it", "/hooks/install'` installs it" in seen, seen)
    talk.end()
    play.report.look("pi complained of nothing", not talk.errors(), talk.errors()[:300])


def _of_user(request: Prompt) -> list[str]:
    """The texts that aren't the model's own, in order."""
    return added(None, request)


ALL: dict[str, Callable[[Play], None]] = {
    f"pi-{row.__name__.replace('_', '-')}": row
    for row in (tools, commands, silent_commands, begins, both, gone, untrusted)
}
