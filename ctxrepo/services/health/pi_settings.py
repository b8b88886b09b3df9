"""What pi's own settings say of memory in pi's sessions, where it isn't what config.toml says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ctxrepo.domain.settings.pi import AGENT, PiSettings
from ctxrepo.services.faults.finding import CheckOutcome, Finding
from ctxrepo.services.settings.hooks import session_hooks
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.pimemory import read_pi


def check_pi_settings(memory: Memory) -> CheckOutcome | None:
    """How pi's sessions differ from others by them; a finding where they name another memory than this one.
    None where they don't mention pi-memory-md."""
    found = read_pi(memory.places, memory.env)
    if found.settings is None:
        return None
    said = "; ".join(_said(memory, found.settings)) or "nothing that config.toml doesn't say"
    return CheckOutcome("pi's settings", f"{found.file}: {said}", tuple(_findings(memory, found.settings)))


def _said(memory: Memory, pi: PiSettings) -> Iterator[str]:
    if not pi.enabled:
        yield "not enabled, so its sessions are given nothing"
        return
    if pi.is_in_system_prompt:
        yield "the packet stands in its system prompt"
    ours, its = memory.settings.hooks, session_hooks(memory, AGENT)
    if ("pull" in ours.session_start) != ("pull" in its.session_start):
        yield f"its sessions begin {'with' if 'pull' in its.session_start else 'without'} a fetch"
    if "push" in its.session_end and "push" not in ours.session_end:
        yield "its sessions send what they write"
    if "push" in ours.session_end and "push" not in its.session_end:
        yield "its sessions don't send what they write; the next push of another agent does"


def _findings(memory: Memory, pi: PiSettings) -> Iterator[Finding]:
    root = Path(pi.local_path)
    if (root / ".git").is_dir() and os.path.realpath(root) != os.path.realpath(memory.root):
        yield Finding(
            f"pi's settings name the memory at {root}, and pi's sessions are given the one at {memory.root}",
            "`ctxrepo import pi-memory-md` brings its notes here; then take localPath out of pi's settings.",
        )
