"""The API that Claude Code speaks: what its requests hold, and answers as the model would stream them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from live.recorded import Prompt
from live.steps import Step, Text, Tool

# What a provider's cache doesn't look at: where it shall cut.
_MARKS = ("cache_control",)


def is_answer(path: str) -> bool:
    """Whether a request to this path wants the model's answer."""
    return path == "/v1/messages"


def is_count(path: str) -> bool:
    """Whether it wants to know how many tokens it has."""
    return path == "/v1/messages/count_tokens"


def listed(_path: str) -> bytes:
    """What a GET of this path is answered; nothing where there is no such thing."""
    return b""


def prompt_of(body: dict[str, Any]) -> Prompt:
    """What of a request's body the model reads, in the order it reads it."""
    messages = [_message(message) for message in body.get("messages", [])]
    system = body.get("system") or []
    return Prompt(
        system=json.dumps(_plain(system), sort_keys=True),
        tools=json.dumps(_plain(body.get("tools") or []), sort_keys=True),
        messages=tuple(json.dumps(message, sort_keys=True) for message in messages),
        texts=tuple((m["role"], tuple(_texts(m["content"]))) for m in messages),
    )


def answer(number: int, _path: str, body: dict[str, Any], step: Step) -> tuple[str, bytes]:
    """(content type, bytes) of the model's answer to its request of this number."""
    block, stop = _block(number, step)
    usage = {
        "input_tokens": step.tokens,
        "output_tokens": 10,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
    }
    message = {
        "id": f"msg_{number:06}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": [block],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": usage,
    }
    if not body.get("stream"):
        return "application/json", json.dumps(message).encode()
    events = "".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _stream(message, block)
    )
    return "text/event-stream", events.encode()


def count(body: dict[str, Any]) -> bytes:
    """About how many tokens a request has."""
    return json.dumps({"input_tokens": len(json.dumps(body)) // 4}).encode()


def _block(number: int, step: Step) -> tuple[dict[str, Any], str]:
    match step:
        case Tool(name=name, given=given):
            return {"type": "tool_use", "id": f"toolu_{number:06}", "name": name, "input": given}, "tool_use"
        case Text(text=text):
            return {"type": "text", "text": text}, "end_turn"


def _stream(message: dict[str, Any], block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**message, "content": [], "stop_reason": None}
    is_tool = block["type"] == "tool_use"
    empty = {**block, "input": {}} if is_tool else {**block, "text": ""}
    delta = (
        {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        if is_tool
        else {"type": "text_delta", "text": block["text"]}
    )
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_start", "message": begun}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": ended, "usage": message["usage"]}
    yield {"type": "message_stop"}


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """A message in one spelling: a bare text means the same as one block of it."""
    content = message.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {**_plain(message), "content": _plain(blocks)}


def _plain(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items() if key not in _MARKS}
    return [_plain(value) for value in node] if isinstance(node, list) else node


def _texts(content: Any) -> Iterator[str]:
    """Every text of a message in order, those of tool results too."""
    for block in content if isinstance(content, list) else []:
        if isinstance(block.get("text"), str):
            yield block["text"]
        elif isinstance(inner := block.get("content"), str):
            yield inner
        else:
            yield from _texts(inner)
