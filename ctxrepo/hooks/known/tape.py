"""The settings of the tape as hooks need them: config.toml's, and for pi's sessions those of pi."""

from ctxrepo.hooks.known.compiled import World


class CompiledTape:
    """What is compiled of `[tape]` for the sessions of one agent."""

    __slots__ = (
        "bridge_seconds",
        "exclude_dirs",
        "has_tools",
        "is_manual",
        "is_on",
        "keywords",
        "label_prefix",
        "only_git",
    )

    def __init__(self, values: dict[str, str]) -> None:
        # A missing key is from an older worker: then the tape is off until this one has compiled it.
        text = values.get
        self.is_on = text("tape_enabled") == "on"
        self.keywords = _lines(text("tape_keywords", ""))
        self.bridge_seconds = int(text("tape_bridge_seconds", "0"))
        self.only_git = text("tape_only_git") == "on"
        self.exclude_dirs = _lines(text("tape_exclude_dirs", ""))
        self.has_tools = text("tape_tools") == "on"
        """Whether the agent's bridge offers the model tools for the tape."""
        self.is_manual = text("tape_mode") == "manual"
        """Whether an agent may leave an anchor only where its user asked for one."""
        self.label_prefix = text("tape_label_prefix", "")

    def leaves_alone(self, cwd: str, is_in_project: bool) -> bool:
        """Whether nothing is kept of sessions in this folder."""
        return is_left_alone(self.is_on, self.only_git, self.exclude_dirs, cwd, is_in_project)


def is_left_alone(
    is_on: bool, only_git: bool, exclude_dirs: list[str], cwd: str, is_in_project: bool
) -> bool:
    """Whether these settings say that nothing is kept of sessions in the folder `cwd`."""
    if not is_on or (only_git and not is_in_project):
        return True
    return any(f"{cwd}/".startswith(f"{folder.rstrip('/')}/") for folder in exclude_dirs)


def tape_of(world: World, agent: str) -> CompiledTape:
    """The settings of the tape for this agent's sessions."""
    own = f":{agent}"
    values = {key: value for key, value in world.settings.items() if key.startswith("tape_")}
    values.update({key.removesuffix(own): value for key, value in values.items() if key.endswith(own)})
    return CompiledTape(values)


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []
