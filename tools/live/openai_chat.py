"""The API of Chat Completions: what its requests hold, and answers as the model would stream them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from live.recorded import Prompt
from live.steps import Step, Text, Tool


def is_answer(path: str) -> bool:
    """Whether a request to this path wants the model's answer."""
    return path == "/v1/chat/completions"


def is_count(_path: str) -> bool:
    """Whether it wants to know how many tokens it has."""
    return False


def listed(path: str) -> bytes:
    """What a GET of this path is answered; nothing where there is no such thing."""
    return json.dumps({"object": "list", "data": []}).encode() if path == "/v1/models" else b""


def prompt_of(body: dict[str, Any]) -> Prompt:
    """What of a request's body the model reads, in the order it reads it."""
    conversation = [message for message in body.get("messages", []) if isinstance(message, dict)]
    system = [message for message in conversation if message.get("role") == "system"]
    messages = [message for message in conversation if message.get("role") != "system"]
    return Prompt(
        system=json.dumps([message.get("content") for message in system]),
        tools=json.dumps(body.get("tools") or [], sort_keys=True),
        messages=tuple(json.dumps(message, sort_keys=True) for message in messages),
        texts=tuple((str(m.get("role")), tuple(_texts(m.get("content")))) for m in messages),
    )


def answer(number: int, _path: str, body: dict[str, Any], step: Step) -> tuple[str, bytes]:
    """(content type, bytes) of the model's answer to its request of this number."""
    message, reason = _message(number, step)
    head = {"id": f"chatcmpl-{number:06}", "created": 0, "model": body.get("model", "")}
    usage = {"prompt_tokens": step.tokens, "completion_tokens": 10, "total_tokens": step.tokens + 10}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        whole = {**head, "object": "chat.completion", "choices": [choice], "usage": usage}
        return "application/json", json.dumps(whole).encode()
    chunks = [
        {**head, "object": "chat.completion.chunk", **chunk} for chunk in _chunks(message, reason, usage)
    ]
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "text/event-stream", "".join([*events, "data: [DONE]\n\n"]).encode()


def count(_body: dict[str, Any]) -> bytes:
    """Nobody asks this API how long a request is."""
    return b"{}"


def _message(number: int, step: Step) -> tuple[dict[str, Any], str]:
    match step:
        case Tool(name=name, given=given):
            function = {"name": name, "arguments": json.dumps(given)}
            call = {"id": f"call_{number:06}", "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        case Text(text=text):
            return {"role": "assistant", "content": text}, "stop"


def _chunks(message: dict[str, Any], reason: str, usage: dict[str, Any]) -> Iterator[dict[str, Any]]:
    calls = [{"index": index, **call} for index, call in enumerate(message.get("tool_calls", ()))]
    delta = {**message, "tool_calls": calls} if calls else message
    yield {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    yield {"choices": [], "usage": usage}


def _texts(content: Any) -> Iterator[str]:
    """Every text of a message in order."""
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield part["text"]
