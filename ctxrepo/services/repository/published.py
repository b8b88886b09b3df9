"""What other programs on this machine read: the settings for hooks, and the clone's configuration for git."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import suppress

from ctxrepo.agents import dialect_of, names
from ctxrepo.agents.known import instruction_files
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.errors import CtxrepoError, GitFailed
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.services.settings.session_settings import settings_by_owner, silence_switches
from ctxrepo.storage.clone.clone import foreign_format
from ctxrepo.storage.clone.configfile import configure, remove_key, values
from ctxrepo.storage.disk.foreign import Change, apply, read
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.isolated.dangers import ATTRIBUTES, MERGE_NAME, PUSH, is_parking, merge_driver, parking
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import CompiledRepository, compile_settings, read_settings
from ctxrepo.storage.user.assets import write_runner
from ctxrepo.storage.user.config import keep_settings


def publish_settings(memory: Memory, interpreter: str) -> None:
    """Write what hooks need, if it changed: settings to hooks.db, this installation with its Python
    `interpreter` (an absolute path) to STATE/hook, and a copy of a readable config.toml."""
    settings = memory.settings
    published = read_settings(memory.places.state)
    dialects = ((name, dialect_of(name)) for name in names())
    # How hooks know that an agent runs them that also runs those of others.
    marks = [f"{dialect.hook_mark}={name}" for name, dialect in dialects if dialect and dialect.hook_mark]
    values = {
        "config": str(memory.places.config_file),
        "stamp": memory.settings_stamp,
        "interpreter": interpreter,
        # The key that proves that a block around delivered text is ours, not written by a note's author.
        "secret": published.get("secret") or random_name(16),
        "global": memory.global_folder,
        "hook_marks": " ".join(marks),
        "instructions": instruction_files(),
        "silence": silence_switches(),
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
    """Whether the helper for semantic recall is enabled and could start; else hooks don't start one."""
    recall = memory.settings.recall
    if not (recall.enabled and recall.semantic):
        return False
    from ctxrepo.storage.meaning.models import find_model, has_libraries  # every command comes here

    return has_libraries() and find_model(recall.model, memory.places.models) is not None


def _tape(tape: TapeSettings) -> dict[str, str]:
    """What hooks need of the settings of the tape (hooks/known/world.py)."""
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


_KEY = "merge.ctxrepo.driver"
_WHY = "# ctxrepo merges these entry by entry, in whatever program runs git here."


def set_up_git(memory: Memory, interpreter: str) -> bool:
    """Write our merge driver, run by `interpreter`, to the clone's git configuration and attributes, and
    where `git push` goes during a review. What can't be written is left for the next time: nobody asked for
    this. Whether our driver is named."""
    if foreign_format(memory.clone.git_dir):
        return False
    _name_attributes(memory)
    _park_pushes(memory)
    return _name_driver(memory, interpreter)


def _name_driver(memory: Memory, interpreter: str) -> bool:
    """Name our merge driver in place of none, or of another interpreter's. Any other value is somebody's;
    `doctor` tells."""
    driver = merge_driver(interpreter)
    if memory.clone.seems_to_set("driver", driver):
        return True
    drivers = _values(memory, _KEY)
    if drivers == [driver]:
        return True
    if drivers is None or not interpreter or not all(map(_is_ours, drivers)):
        return False
    return _configure(memory, {"merge.ctxrepo.name": MERGE_NAME, _KEY: driver})


def _name_attributes(memory: Memory) -> None:
    """Say in the clone's own attributes which files our driver merges: another program's repository has no
    `.gitattributes` of ours. No link is followed: it may lead to any file."""
    file = memory.clone.git_dir / "info" / "attributes"
    if file.parent.is_symlink() or file.is_symlink():
        return
    with suppress(CtxrepoError):
        before = read(file)
        present = {line.strip() for line in (before or b"").decode("utf-8", "replace").splitlines()}
        if missing := [line for line in ATTRIBUTES if line not in present]:
            gap = b"\n" if before and not before.endswith(b"\n") else b""
            ours = "".join(f"{line}\n" for line in [_WHY, *missing])
            apply([Change(file, before, (before or b"") + gap + ours.encode())])


def _park_pushes(memory: Memory) -> None:
    """During a review, keep a plain `git push` of other programs from the branch that all machines share. A
    refspec that somebody else wrote stays, and `doctor` tells of it."""
    is_reviewed = memory.has_remote and memory.repository.review == "branch"
    refspec = parking(memory.clone.branch, memory.host) if is_reviewed else ""
    if memory.clone.seems_to_set("push", refspec):
        return
    refspecs = _values(memory, PUSH)
    if refspecs is None or not all(map(is_parking, refspecs)):
        return
    if refspec:
        _configure(memory, {PUSH: refspec})
    elif refspecs:
        remove_key(memory.clone.git_dir / "config", memory.env, PUSH)


def _values(memory: Memory, key: str) -> list[str] | None:
    """None when the clone's configuration can't be read."""
    with suppress(CtxrepoError):
        return values(memory.clone.git_dir / "config", key, memory.env)
    return None


def _configure(memory: Memory, settings: Mapping[str, str]) -> bool:
    """Give keys of the clone's configuration these values; whether that could be written."""
    with suppress(GitFailed):
        configure(memory.clone.git_dir / "config", memory.env, settings)
        return True
    return False


def _is_ours(value: str) -> bool:
    """Whether another installation of ctxrepo could have written this value."""
    try:
        interpreter = shlex.split(value)[0].replace("%%", "%")
    except (ValueError, IndexError):
        return False
    return interpreter.startswith("/") and value == merge_driver(interpreter)
