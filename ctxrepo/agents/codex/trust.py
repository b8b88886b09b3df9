"""What Codex is asked about its trust in our hooks: it skips in silence what its user hasn't trusted.

Its app server speaks JSON-RPC, a line each. Trust is an entry in `config.toml` that Codex writes itself: the
hook's key, which is the file and the hook's place in it, and the hash of what it calls."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ctxrepo.agents.documents import tables
from ctxrepo.agents.hook_line import is_among, is_ours
from ctxrepo.agents.protocol import AskedHook

PROGRAM = ("codex", "app-server")
HINT = "start `codex`, type /hooks, and trust them"
FILE = "config.toml"
LEFT = "Codex' own entries of trust stay in its config.toml; they name hooks that are gone"

_HELLO: Mapping[str, Any] = {"clientInfo": {"name": "ctxrepo", "version": "1"}}


def is_left(text: str, folder: Path) -> bool:
    """Whether this configuration trusts hooks of the folder's list of hooks."""
    hooks = tomllib.loads(text).get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    return isinstance(state, dict) and any(key.startswith(f"{folder / 'hooks.json'}:") for key in state)


def question() -> Sequence[tuple[str, Mapping[str, Any]]]:
    """The calls that ask which hooks there are: (method, parameters), answered one after the other."""
    return (("initialize", _HELLO), ("hooks/list", {"cwds": ["/"]}))


def hooks(answer: object) -> Sequence[AskedHook]:
    """Our hooks in the answer to the last of these calls."""
    places = answer.get("data") if isinstance(answer, dict) else None
    hooks = (hook for place in tables(places) for hook in tables(place.get("hooks")))
    return tuple(
        AskedHook(
            str(hook.get("key", "")), str(hook.get("currentHash", "")), hook.get("trustStatus") == "trusted"
        )
        for hook in hooks
        if _is_ours(hook)
    )


def grant(hooks: Sequence[AskedHook]) -> tuple[str, Mapping[str, Any]]:
    """The call that has Codex trust these hooks as they are now."""
    edits = [
        {"keyPath": f'hooks.state."{hook.key}".trusted_hash', "value": hook.hash, "mergeStrategy": "upsert"}
        for hook in hooks
    ]
    return "config/batchWrite", {"edits": edits}


def _is_ours(hook: Mapping[str, Any]) -> bool:
    """Whether it is one that setup wrote, or one of our plugin, of whatever marketplace."""
    if is_among([str(hook.get("pluginId") or "")]):
        return True
    return is_ours(hook.get("command"), "codex") and hook.get("source") == "user"
