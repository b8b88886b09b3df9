"""The API that Codex speaks: what its requests hold, and answers as the model would stream them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from live.recorded import Prompt
from live.steps import Step, Text, Tool


def is_answer(path: str) -> bool:
    """Whether a request to this path wants the model's answer."""
    return path == "/v1/responses"


def is_count(_path: str) -> bool:
    """Whether it wants to know how many tokens it has."""
    return False


def listed(path: str) -> bytes:
    """What a GET of this path is answered; nothing where there is no such thing."""
    return json.dumps({"object": "list", "data": [], "models": []}).encode() if path == "/v1/models" else b""


def prompt_of(body: dict[str, Any]) -> Prompt:
    """What of a request's body the model reads, in the order it reads it."""
    items = [item for item in body.get("input", []) if isinstance(item, dict)]
    return Prompt(
        system=json.dumps(body.get("instructions", "")),
        tools=json.dumps(body.get("tools") or [], sort_keys=True),
        messages=tuple(json.dumps(_read(item), sort_keys=True) for item in items),
        texts=tuple((str(item.get("role") or _by(item)), tuple(_texts(item))) for item in items),
    )


def answer(number: int, _path: str, body: dict[str, Any], step: Step) -> tuple[str, bytes]:
    """(content type, bytes) of the model's answer to its request of this number."""
    item = _item(number, step)
    usage = {
        "input_tokens": step.tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 10,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": step.tokens + 10,
    }
    response = {
        "id": f"resp_{number:06}",
        "object": "response",
        "model": body.get("model", ""),
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    if not body.get("stream"):
        return "application/json", json.dumps(response).encode()
    events = [f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in _stream(response, item)]
    return "text/event-stream", "".join(events).encode()


def count(_body: dict[str, Any]) -> bytes:
    """Nobody asks this API how long a request is."""
    return b"{}"


def _item(number: int, step: Step) -> dict[str, Any]:
    match step:
        case Tool(name="apply_patch", given=given):
            item = {"type": "custom_tool_call", "name": "apply_patch", "input": given["input"]}
        case Tool(name=whole, given=given):
            namespace, _, name = whole.rpartition("/")
            item = {"type": "function_call", "name": name, "arguments": json.dumps(given)}
            item |= {"namespace": namespace} if namespace else {}
        case Text(text=text):
            part = {"type": "output_text", "text": text, "annotations": []}
            return {"type": "message", "id": f"msg_{number:06}", "role": "assistant", "content": [part]}
    return {**item, "id": f"fc_{number:06}", "call_id": f"call_{number:06}", "status": "completed"}


def _stream(response: dict[str, Any], item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    at = {"item_id": item["id"], "output_index": 0}
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    if item["type"] == "message":
        text = item["content"][0]["text"]
        yield {"type": "response.output_text.delta", **at, "content_index": 0, "delta": text}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": response}


def _read(item: dict[str, Any]) -> dict[str, Any]:
    """An item as the model reads it: it isn't shown the item's own id."""
    return {key: value for key, value in item.items() if key != "id"}


def _by(item: dict[str, Any]) -> str:
    """Who says what has no role: the model its calls, the agent what tools answer."""
    return "tool" if str(item.get("type", "")).endswith("_output") else "assistant"


def _texts(item: dict[str, Any]) -> Iterator[str]:
    """Every text of an item in order."""
    content = item.get("content", item.get("output"))
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
