"""Whatever an agent sends, a hook ends well: recorded payloads of every agent, and the same ones spoilt."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checkout import PAYLOADS
from long import mostly_long_of_each
from world import World

from ctxrepo.agents import dialect_of, names
from ctxrepo.hooks.door import answer

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1.5,
    "",
    "x" * 70_000,
    "\ud800",
    "\0",
    "../..",
    [],
    {},
    [[1]],
    {"a": {}},
)
"""Values of which an agent sends one in place of what it means."""

ALL = [path for agent in names() for path in sorted((PAYLOADS.parent / agent).glob("*.json"))]


def filled(path: Path, world: World) -> dict[str, Any]:
    """A recorded payload of a session in the world's checkout."""
    text = path.read_text()
    note = str(world.memory / "shop/topics/db.md")
    given = {"cwd": str(world.code), "home": str(world.root), "prompt": "Which staging port?", "file": note}
    for name, value in given.items():
        text = text.replace(f"@{name}@", json.dumps(value)[1:-1])
    payload: dict[str, Any] = json.loads(text)
    return payload


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values in it, from outside in."""
    yield path
    below = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in below:
        yield from places(value, (*path, key))


def with_value(node: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copied = dict(node) if isinstance(node, dict) else list(node)
    copied[path[0]] = with_value(node[path[0]], path[1:], value)
    return copied


def spoilt(payload: dict[str, Any], chance: random.Random) -> Iterator[bytes]:
    """The payload torn, with one value replaced, too deep, too long, and as something else than JSON."""
    whole = json.dumps(payload).encode()
    for _ in range(8):
        yield whole[: chance.randrange(len(whole))]
    there = list(places(payload))
    for _ in range(24):
        yield json.dumps(with_value(payload, chance.choice(there), chance.choice(ODD))).encode()
    yield json.dumps({**payload, "more": "y" * 3_000_000}).encode()
    yield whole[:-1] + b', "deep": ' + b"[" * 5000 + b"]" * 5000 + b"}"
    yield from (b"", b"\xff\xfe" + whole, b"\xef\xbb\xbf" + whole, whole + b"\0", whole + whole, b"null")


@pytest.mark.parametrize(
    "path",
    mostly_long_of_each(ALL, lambda path: path.parent),
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_a_payload_whole_or_spoilt_is_answered_or_passed_over(path: Path, world: World) -> None:
    dialect = dialect_of(path.parent.name)
    assert dialect
    event = path.stem.partition("-")[0]
    payload = filled(path, world)
    for raw in (json.dumps(payload).encode(), *spoilt(payload, random.Random(path.stem))):
        output = answer(dialect, event, str(world.state), raw)
        assert isinstance(output, str)
    assert answer(dialect, "NoSuchEvent", str(world.state), json.dumps(payload).encode()) == dialect.nothing
    assert world.errors() == ""


@pytest.mark.parametrize("agent", names())
def test_every_moment_of_an_agent_has_a_recorded_payload(agent: str) -> None:
    dialect = dialect_of(agent)
    assert dialect
    recorded = {path.stem.partition("-")[0].lower() for path in (PAYLOADS.parent / agent).glob("*.json")}
    assert not set(dialect.events) - recorded, "record what it sends for these events"
