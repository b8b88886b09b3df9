"""Publishes the settings where hooks can read them in a millisecond, and writes the program that starts hooks
when their own line can't."""

from __future__ import annotations

from collections.abc import Iterator

from ctxrepo.agents import dialect_of, names
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.hooks.known.compiled import stamp_of
from ctxrepo.services.settings.tape import settings_by_owner
from ctxrepo.storage.disk.random_names import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import CompiledRepository, compile_settings, read_settings
from ctxrepo.storage.user.config import keep_settings
from ctxrepo.storage.user.runner import write_runner


def publish_settings(memory: Memory, interpreter: str) -> None:
    """Write what hooks need, if it changed: the settings to hooks.db, this installation to STATE/hook, and a
    copy of a config.toml that could be read.

    `interpreter` is the Python that runs now, by its absolute path: hooks and workers are started with it.
    """
    settings = memory.settings
    published = read_settings(memory.places.state)
    values = {
        "config": str(memory.places.config_file),
        "stamp": memory.settings_stamp,
        "interpreter": interpreter,
        # The key that proves that a block around delivered text is ours, not written by a note's author.
        "secret": published.get("secret") or random_name(16),
        "global": memory.global_folder,
        "hook_marks": " ".join(_hook_marks()),
        "mode": settings.delivery.mode,
        "preset": settings.delivery.preset,
        "budget_bytes": str(settings.delivery.budget_bytes),
        "recall": _flag(settings.recall.enabled),
        "recall_limit": str(settings.recall.limit),
        "recall_bytes": str(settings.recall.budget_bytes),
        "gate": _flag(settings.recall.gate),
        "reminders": _flag(settings.recall.enabled and settings.recall.reminders),
        "semantic": _flag(can_find_by_meaning(memory)),
        "model": settings.recall.model,
        "worktrees": settings.project.worktrees,
        "trust": settings.project.trust,
        "ttl": str(settings.sync.ttl),
        "turn_end": _flag(bool(settings.hooks.turn_end)),
        "session_end": _flag(bool(settings.hooks.session_end)),
        "remote": "1" if memory.has_remote and "pull" in settings.hooks.session_start else "",
    }
    for owner, tape in settings_by_owner(memory).items():
        values |= {f"{key}:{owner}" if owner else key: value for key, value in _tape(tape).items()}
    if not settings.delivery.preamble:
        values["preamble"] = ""
    compile_settings(memory.places.state, values, [CompiledRepository(memory.clone.repo_id(), memory.root)])
    write_runner(memory.places.state, interpreter)
    file = memory.places.config_file
    if memory.config_error is None and stamp_of(str(file)) == memory.settings_stamp:
        keep_settings(file, memory.places.config_before)


def can_find_by_meaning(memory: Memory) -> bool:
    """Whether a helper for meanings is wanted and could begin: else hooks don't start one."""
    recall = memory.settings.recall
    if not (recall.enabled and recall.semantic):
        return False
    from ctxrepo.storage.meaning.models import find_model, has_libraries  # every command comes here

    return has_libraries() and find_model(recall.model, memory.places.models) is not None


def _hook_marks() -> Iterator[str]:
    """How hooks know that an agent runs them that also runs those of others."""
    for name in names():
        dialect = dialect_of(name)
        if dialect and dialect.hook_mark:
            yield f"{dialect.hook_mark}={name}"


def _tape(tape: TapeSettings) -> dict[str, str]:
    """What hooks need of the settings of the tape (hooks/known/tape.py)."""
    return {
        "tape_enabled": _flag(tape.enabled),
        "tape_keywords": "\n".join(tape.keywords),
        "tape_bridge_seconds": str(tape.bridge_seconds),
        "tape_only_git": _flag(tape.only_git),
        "tape_exclude_dirs": "\n".join(tape.exclude_dirs),
        "tape_tools": _flag(tape.tools),
        "tape_label_prefix": tape.label_prefix,
        "tape_mode": tape.mode,
    }


def _flag(value: bool) -> str:
    return "on" if value else "off"
