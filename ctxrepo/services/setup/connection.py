"""One agent on this machine: its settings as they are, what we did to them, and the line of its hooks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ctxrepo.agents import agent_named
from ctxrepo.agents.base import Agent, HookLine
from ctxrepo.errors import ConfigError
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change
from ctxrepo.storage.user import assets, receipt
from ctxrepo.storage.user.places import Places
from ctxrepo.storage.user.receipt import Receipt, digest

_T = TypeVar("_T")


@dataclass(frozen=True)
class Machine:
    """What a face knows: the user's folders, the environment, and the interpreter that runs (no shim)."""

    places: Places
    environment: Mapping[str, str]
    interpreter: Path

    @property
    def line(self) -> HookLine:
        """What hooks of this installation call."""
        return HookLine(self.interpreter, assets.HOOK, self.places.state)


@dataclass(frozen=True)
class Slip:
    """The receipt as it is kept: its place, its bytes, and what they say if they can be read."""

    path: Path
    data: bytes | None
    receipt: Receipt | None

    def changed_to(self, data: bytes | None) -> Change:
        """The change that writes the receipt, or with None takes it away."""
        return Change(self.path, self.data, data, private=True)


@dataclass(frozen=True)
class Connection:
    """`data` are the bytes of the agent's settings at `path`, None where there is no such file."""

    agent: Agent
    machine: Machine
    path: Path
    data: bytes | None

    @classmethod
    def of(cls, name: str, machine: Machine) -> Connection:
        """UsageError for an unknown agent; ConfigError or CtxrepoError when its settings can't be read."""
        agent = agent_named(name)
        path = agent.settings_path(machine.places.user_home, machine.environment)
        return cls(agent, machine, path, foreign.read(path))

    @property
    def slip(self) -> Slip:
        """What is known of an earlier setup of these very settings."""
        usual = self.agent.settings_path(self.machine.places.user_home, {})
        other = self.path if self.path != usual else None
        path = receipt.place(self.machine.places.config_dir, self.agent.NAME, other)
        data = foreign.read(path)
        known = receipt.load(data)
        return Slip(path, data, known if known and known.settings == self.path else None)

    @property
    def skills(self) -> Path:
        """The folder of the agent's skills."""
        return self.agent.skills_path(self.machine.places.user_home, self.machine.environment)

    def connected(self) -> bytes:
        """The settings with our hooks in them; ConfigError, saying where, when they can't be understood."""
        line = self.machine.line
        return self._edited(lambda text: self.agent.connect(text, lambda e: line(self.agent.NAME, e)))

    def original(self) -> bytes | None:
        """The settings as they would be had ctxrepo never been there."""
        known = self.slip.receipt
        if self.data is None:
            return None
        if known is None:
            return self._edited(self.agent.disconnect)
        if digest(self.data) == known.written:
            return known.original
        original = self._text(known.original)
        after = self._edited(lambda text: self.agent.disconnect(text, original))
        # A file that we made or filled, and that says nothing without us, needn't stay.
        is_blank = self.agent.is_blank
        if after != self.data and is_blank(original) and is_blank(self._text(after)):
            return known.original
        return after

    def ask(self, question: Callable[[str], _T]) -> _T:
        """What these settings say; ConfigError, saying where, when they can't be understood."""
        text = self._text(self.data)
        try:
            return question(text)
        except ValueError as error:
            raise ConfigError(
                f"{self.path}, {error}", "Nothing was changed. Mend it, then try again."
            ) from error

    def _edited(self, edit: Callable[[str], str]) -> bytes:
        text = self.ask(edit)
        try:
            return text.encode("utf-8")
        except UnicodeEncodeError:
            raise ConfigError(
                "a path of this installation is not UTF-8, so it can't stand in a hook"
            ) from None

    def _text(self, data: bytes | None) -> str:
        try:
            return (data or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(
                f"{self.path} is not UTF-8 at byte {error.start}", "Mend it, then try again."
            ) from error
