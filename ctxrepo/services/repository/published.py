"""What hooks on this machine read of the settings."""

from ctxrepo.agents import dialect_of, names
from ctxrepo.agents.known import instruction_files
from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.hooks.known.world import stamp_of
from ctxrepo.services.sessions.session_settings import settings_by_owner, silence_switches
from ctxrepo.storage.disk.private import random_name
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.compiled import CompiledRepository, compile_settings, read_settings
from ctxrepo.storage.user.assets import write_runner
from ctxrepo.storage.user.config import keep_settings


def publish_settings(memory: Memory, interpreter: str) -> None:
    """Write what hooks need, if it changed: settings to hooks.db, this installation with its Python
    `interpreter` (an absolute path) to STATE/hook, and a copy of a readable config.toml. A memory that is
    read-only publishes nothing."""
    if memory.why_read_only and not memory.places.other_owner:
        return
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
        "receipt": _flag(settings.delivery.receipt),
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
    compile_settings(memory.places.state, values, [CompiledRepository(memory.state.id, memory.root)])
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
