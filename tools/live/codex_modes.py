"""Codex' modes of its sandbox. `codex exec` asks nobody: what isn't allowed is refused."""

from __future__ import annotations

from live.modes import AGAIN, HANDED, NO, SAYS, YES, Mode
from live.stage import Stage

_AS_ELSEWHERE = (
    *("-c", "sandbox_workspace_write.exclude_slash_tmp=true"),
    *("-c", "sandbox_workspace_write.exclude_tmpdir_env_var=true"),
)
"""By default commands may write to /tmp, where the home of a stage is, and no other home."""


def sandbox(mode: str) -> tuple[str, ...]:
    """Words of the command line for this mode of the sandbox, in which nobody is asked."""
    return ("-c", f'sandbox_mode="{mode}"', "-c", 'approval_policy="never"')


def _without_rules(stage: Stage) -> None:
    """Of what `setup` grants only the folder is left."""
    (stage.machine.home / ".codex" / "rules" / "ctxrepo.rules").unlink()


WORKSPACE = (*sandbox("workspace-write"), *_AS_ELSEWHERE)
_READ_ONLY = sandbox("read-only")

MODES = (
    Mode(
        "workspace",
        "Its default, without anything granted: commands read, and the hook runs again what adds.",
        (YES, AGAIN, AGAIN, NO, SAYS),
        WORKSPACE,
    ),
    Mode(
        "workspace-with-folder",
        "Its default, with the folder that `setup` opens: what adds is handed over and saved outside.",
        (YES, HANDED, HANDED, NO, SAYS),
        WORKSPACE,
        permissions="write",
        prepare=_without_rules,
    ),
    Mode(
        "workspace-with-rules",
        "Its default, with our rules: commands that read and add run outside of the sandbox.",
        (YES, YES, YES, NO, SAYS),
        WORKSPACE,
        permissions="write",
    ),
    Mode("read-only", "Its strictest, without anything granted.", (YES, AGAIN, AGAIN, NO, SAYS), _READ_ONLY),
    Mode(
        "read-only-with-rules",
        "Its strictest, with our rules.",
        (YES, YES, YES, NO, SAYS),
        _READ_ONLY,
        permissions="write",
    ),
)
