"""Settings of an agent's sessions: those of the agent's own files, and otherwise those of config.toml."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ctxrepo.agents.known import AGENTS
from ctxrepo.domain.settings.values import HookSettings, OwnMemory, TapeSettings
from ctxrepo.hooks.known.world import is_left_alone
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.storage.disk.foreign import read_object
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user.places import Places


@dataclass(frozen=True)
class AgentMemory:
    """The settings for the memory program `program` in an agent's own `file`; None: it has none."""

    agent: str
    program: str
    file: Path
    settings: OwnMemory | None
    warnings: tuple[str, ...] = ()


def own_memories(places: Places, env: Mapping[str, str]) -> Iterator[AgentMemory]:
    """The memory settings of each agent's own files for all projects; agents without such files are left
    out."""
    for name in AGENTS:
        if memory := own_memory(places, env, name):
            yield memory


def own_memory(places: Places, env: Mapping[str, str], agent: str) -> AgentMemory | None:
    """The same for one agent; None for one without such files."""
    part = AGENTS[agent].memory_settings if agent in AGENTS else None
    if part is None:
        return None
    file = part.file(places.user_home, env)
    contents = read_object(file)
    settings = part.read(contents.fields or {}, places.user_home)
    return AgentMemory(agent, part.PROGRAM, file, settings, (contents.trouble,) if contents.trouble else ())


def keeps_anchors(places: Places, env: Mapping[str, str], root: Path) -> bool:
    """Whether an agent's memory program on this machine keeps its anchors in the clone at `root`."""
    settings = [memory.settings for memory in own_memories(places, env) if memory.settings]
    clones = [os.path.realpath(config.local_path) for config in settings if config.has_tape]
    return os.path.realpath(root) in clones


def redirections(folder: Path) -> tuple[str, ...]:
    """Warnings about agents' settings in a project's `folder`. Anybody whose repository is cloned can write
    these, so they decide neither where memory is nor what runs."""
    warnings = []
    for agent in AGENTS.values():
        if agent.memory_settings is None:
            continue
        file = folder / agent.memory_settings.SILENCE[0]
        contents = read_object(file)
        warnings += [contents.trouble] if contents.trouble else []
        if keys := agent.memory_settings.redirecting(contents.fields or {}):
            warnings.append(f"{file} says {', '.join(keys)}: a project can't decide that, and it is ignored")
    return tuple(warnings)


def anchor_commands() -> str:
    """How users ask for an anchor in agents with an extension of ours, as the end of a sentence."""
    parts = ((agent.title, agent.memory_settings) for agent in AGENTS.values())
    return " or ".join(f"in {title} by {part.ANCHOR_COMMAND}" for title, part in parts if part is not None)


def silence_switches() -> str:
    """The files by which a project asks for no memory, in the form that hooks read (World.silence)."""
    parts = (agent.memory_settings for agent in AGENTS.values())
    return "\n".join("\t".join(part.SILENCE) for part in parts if part is not None)


def session_hooks(memory: Memory, agent: str) -> HookSettings:
    """The hook settings of this agent's sessions. Without `push` at the end, its sessions send nothing; the
    next push of other sessions includes what they wrote."""
    hooks = memory.settings.hooks
    agent_memory = own_memory(memory.places, memory.env, agent)
    if not (agent_memory and agent_memory.settings and agent_memory.settings.hooks.is_explicit):
        return hooks
    explicit = agent_memory.settings.hooks
    return replace(
        hooks,
        session_start=("pull",) if "pull" in explicit.session_start else (),
        session_end=("commit", "push") if "push" in explicit.session_end else ("commit",),
    )


def may_send(memory: Memory, agents: Iterable[str]) -> bool:
    """Whether what sessions of these agents wrote is to be sent; '' is a person without a session."""
    return memory.has_remote and any("push" in session_hooks(memory, agent).session_end for agent in agents)


def settings_by_owner(memory: Memory) -> Mapping[str, TapeSettings]:
    """agent -> settings, for agents with settings of their own; '' -> those of all others."""
    usual = tape_settings(memory, "")
    by_agent = {agent: tape_settings(memory, agent) for agent in AGENTS}
    return {"": usual} | {agent: settings for agent, settings in by_agent.items() if settings != usual}


def tape_settings(memory: Memory, agent: str) -> TapeSettings:
    """The tape settings of this agent's sessions. If its own settings have some, they hold, with the defaults
    of its memory program. Only agents to which our extension offers tools have any, whatever config.toml
    says."""
    part = AGENTS[agent].memory_settings if agent in AGENTS else None
    agent_memory = own_memory(memory.places, memory.env, agent)
    if agent_memory and agent_memory.settings and agent_memory.settings.tape is not None:
        return agent_memory.settings.tape
    has_tools = part is not None and part.OFFERS_TAPE_TOOLS and memory.settings.tape.tools
    return replace(memory.settings.tape, tools=has_tools)


def leaves_alone(settings: TapeSettings, cwd: str, project: Project | None) -> bool:
    """Whether nothing is kept of sessions in the folder `cwd` of this project (None: in none)."""
    is_in_project = project is not None
    return is_left_alone(settings.enabled, settings.only_git, [*settings.exclude_dirs], cwd, is_in_project)
