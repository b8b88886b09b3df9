"""The API that Gemini CLI speaks: what its requests hold, and answers as the model would stream them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

from live.recorded import Prompt
from live.steps import Step, Text, Tool

_ANSWERS = (":streamGenerateContent", ":generateContent")
_CONTEXT = re.compile(r"<hook_context>(.*?)</hook_context>", re.DOTALL)


def is_answer(path: str) -> bool:
    """Whether a request to this path wants the model's answer."""
    return path.startswith("/v1beta/models/") and path.endswith(_ANSWERS)


def is_count(path: str) -> bool:
    """Whether it wants to know how many tokens it has."""
    return path.endswith(":countTokens")


def listed(_path: str) -> bytes:
    """Nothing is asked by a GET."""
    return b""


def prompt_of(body: dict[str, Any]) -> Prompt:
    """What of a request's body the model reads, in the order it reads it."""
    contents = [content for content in body.get("contents", []) if isinstance(content, dict)]
    return Prompt(
        system=json.dumps(body.get("systemInstruction") or "", sort_keys=True),
        tools=json.dumps(body.get("tools") or [], sort_keys=True),
        messages=tuple(json.dumps(content, sort_keys=True) for content in contents),
        texts=tuple((_role(content), tuple(_texts(content))) for content in contents),
    )


def answer(number: int, path: str, _body: dict[str, Any], step: Step) -> tuple[str, bytes]:
    """(content type, bytes) of the model's answer to its request of this number."""
    match step:
        case Tool(name=name, given=given):
            part: dict[str, Any] = {"functionCall": {"name": name, "args": given}}
        case Text(text=text):
            part = {"text": text}
    candidate = {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": [part]}}
    usage = {
        "promptTokenCount": step.tokens,
        "candidatesTokenCount": 10,
        "totalTokenCount": step.tokens + 10,
    }
    response = json.dumps(
        {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": "gemini-2.5-flash",
            "responseId": f"resp{number:06}",
        }
    )
    if path.endswith(":generateContent"):
        return "application/json", response.encode()
    return "text/event-stream", f"data: {response}\n\n".encode()


def count(body: dict[str, Any]) -> bytes:
    """About how many tokens a request has."""
    return json.dumps({"totalTokens": len(json.dumps(body)) // 4}).encode()


def _role(content: dict[str, Any]) -> str:
    """Who says it, in the words of live.recorded."""
    return "assistant" if content.get("role") == "model" else "user"


def _texts(content: dict[str, Any]) -> Iterator[str]:
    """Every text of a message in order, those of tools too; what hooks gave as they gave it."""
    for part in content.get("parts", []):
        text = part.get("text")
        if isinstance(response := part.get("functionResponse"), dict):
            given = response.get("response") or {}
            text = given.get("output", given.get("error"))
        if isinstance(text, str):
            yield _CONTEXT.sub(lambda match: html.unescape(match[1]), text)
