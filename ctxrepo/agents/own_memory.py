"""What an agent's own settings say of memory in its sessions, whichever agent it is."""

from dataclasses import field

from ctxrepo.domain.settings.values import TapeSettings
from ctxrepo.lazy import dataclass


@dataclass(frozen=True)
class OwnHooks:
    """Names of actions at each moment of the agent's sessions. `is_explicit`: somebody chose them."""

    session_start: tuple[str, ...] = ("pull",)
    session_end: tuple[str, ...] = ()
    is_explicit: bool = False


@dataclass(frozen=True)
class OwnMemory:
    """Paths are absolute as far as they were so written; `global_folder` '' is no global memory.

    `names_path`: the folder was chosen and is not the default. `is_in_system_prompt`: what is delivered is to
    stand there. `has_tape`: anchors are kept, in the memory repository itself. `tape` is None where nothing
    is said of it. `odd` tells what ctxrepo doesn't do as it is said there, a sentence each."""

    enabled: bool = True
    repo_url: str = ""
    local_path: str = ""
    names_path: bool = False
    global_folder: str = ""
    is_in_system_prompt: bool = False
    hooks: OwnHooks = field(default_factory=OwnHooks)
    has_tape: bool = False
    tape: TapeSettings | None = None
    odd: tuple[str, ...] = ()
