"""A file that an agent's installation wants, beside what is on the disk: what it becomes, and back."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from ctxrepo.agents.wanted import RULES_HEAD, EditedDocument, OwnFile, ShippedFile
from ctxrepo.errors import ConfigError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.user import assets
from ctxrepo.storage.user.receipt import WrittenFile, digest

_T = TypeVar("_T")
_Wanted = TypeVar("_Wanted", EditedDocument, OwnFile)


def wanted_file(wanted: EditedDocument | OwnFile | ShippedFile) -> "WantedFile":
    """The file as it is on the disk; CtxrepoError when it can't be read."""
    data = foreign.read(wanted.path)
    if isinstance(wanted, EditedDocument):
        return EditedOnDisk(wanted, data)
    return OwnFileOnDisk(_filled(wanted) if isinstance(wanted, ShippedFile) else wanted, data)


def _filled(wanted: ShippedFile) -> OwnFile:
    """The file with the places of this machine in it."""
    text = (assets.folder("hooks") / wanted.source).read_text("utf-8")
    for place, value in wanted.places.items():
        text = text.replace(f'"{{{place}}}"', json.dumps(value, ensure_ascii=False))
    return OwnFile(wanted.path, _encoded(text), wanted.hooks)


@dataclass(frozen=True)
class _OnDisk(Generic[_Wanted]):
    wanted: _Wanted
    data: bytes | None
    """Its bytes as they are, None where there is no such file."""

    @property
    def path(self) -> Path:
        return self.wanted.path

    @property
    def events(self) -> tuple[str, ...]:
        """The events whose hooks stand in it."""
        return tuple(self.wanted.hooks)


class EditedOnDisk(_OnDisk[EditedDocument]):
    """A document into which ours is put. ConfigError when what it says can't be understood."""

    def connected(self, known: WrittenFile | None = None) -> bytes | None:
        """Its bytes with what is ours. What setup wrote and nobody edited is made anew of what was there, so
        that nothing stays in it of what isn't granted any more."""
        document, line = self.wanted.document, self.wanted.hooks.__getitem__
        original = self._text(known.original) if known else None
        after = self._edited(lambda text: document.connect(text, line, original), self.data)
        if known and after != self.data and self._is_as_written(known):
            anew = self._edited(lambda text: document.connect(text, line, original), known.original)
            if self._server_in(anew) == self._server_in(after):  # else a person wrote something into it
                return anew
        return self._or_gone(after, known)

    def original(self, known: WrittenFile | None) -> bytes | None:
        """Its bytes as they would be had ctxrepo never been there; `known` is what the receipt says."""
        document = self.wanted.document
        if known is None:
            return self._edited(document.disconnect, self.data)
        if self._is_as_written(known):
            servers = self.wanted.servers  # of which a person may have pasted ours, before
            return self._edited(servers.disconnect, known.original) if servers else known.original
        original = self._text(known.original)
        return self._or_gone(self._edited(lambda text: document.disconnect(text, original), self.data), known)

    def _or_gone(self, after: bytes | None, known: WrittenFile | None) -> bytes | None:
        """These bytes, or what was there before where the file said nothing and says nothing again."""
        if known is None or after == self.data or not self._is_blank(known.original):
            return after
        return known.original if self._is_blank(after) else after

    def _is_blank(self, data: bytes | None) -> bool:
        return self.wanted.document.is_blank(self._text(data))

    def before(self, known: WrittenFile | None) -> bytes | None:
        """What the receipt keeps of it: the bytes that a removal is to give back once this is connected, or
        of a state of the agent's the outline."""
        before, outline = self.original(known), self.wanted.outline
        if not (before and outline) or before == self.connected(known):
            return before
        return self._ask(outline, before).encode()

    def _is_as_written(self, known: WrittenFile) -> bool:
        """Whether setup wrote these very bytes, and the receipt has those that were there before."""
        return not self.wanted.outline and digest(self.data) == known.digest

    def server(self) -> object:
        """The entry in it that has the name of our MCP server; None where there is none."""
        return self._server_in(self.data)

    def _server_in(self, data: bytes | None) -> object:
        return self._ask(self.wanted.servers.server, data) if self.wanted.servers else None

    def notice(self, _known: WrittenFile | None) -> str:
        """What to tell of a removal that leaves it, or ''."""
        return ""

    def lines(self) -> Mapping[str, Sequence[str]]:
        """The commands of our hooks in it, by event."""
        return self._ask(self.wanted.document.lines, self.data)

    def _ask(self, question: Callable[[str], _T], data: bytes | None) -> _T:
        text = self._text(data)
        try:
            return question(text)
        except ValueError as error:
            raise ConfigError(
                f"{self.path}, {error}", "Nothing was changed. Mend it, then try again."
            ) from error

    def _edited(self, edit: Callable[[str], str], data: bytes | None) -> bytes | None:
        """The bytes edited, or no file where there is none and nothing is to be in it."""
        after = self._ask(edit, data)
        return data if after == self._text(data) else _encoded(after)

    def _text(self, data: bytes | None) -> str:
        try:
            return (data or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(
                f"{self.path} is not UTF-8 at byte {error.start}", "Mend it, then try again."
            ) from error


class OwnFileOnDisk(_OnDisk[OwnFile]):
    """A file of ours. What a person wrote into it is lost when setup writes the file again, and kept when
    setup is taken back."""

    def connected(self, known: WrittenFile | None = None) -> bytes | None:
        return self.original(known) if self.wanted.content is None else self.wanted.content

    def original(self, known: WrittenFile | None) -> bytes | None:
        if self.data is None or not self._is_as_written(known):
            return self.data
        return known.original if known else None

    def before(self, known: WrittenFile | None) -> bytes | None:
        return known.original if known else self.original(None)

    def notice(self, known: WrittenFile | None) -> str:
        is_left = self.data is not None and not self._is_as_written(known)
        return f"{self.path} stays: it is not as ctxrepo wrote it." if is_left else ""

    def lines(self) -> Mapping[str, Sequence[str]]:
        """Those that it should hold, where it calls a hook of ours; its bytes tell whether it does."""
        is_ours = b"ctxrepo/hook.py" in (self.data or b"")
        return {event: [line] for event, line in self.wanted.hooks.items()} if is_ours else {}

    @property
    def has_our_rules(self) -> bool:
        """Whether it is a file of rules that setup wrote, of whatever level."""
        return (self.data or b"").startswith(RULES_HEAD.encode())

    def _is_as_written(self, known: WrittenFile | None) -> bool:
        is_ours = self.has_our_rules if self.wanted.content is None else self.data == self.wanted.content
        return is_ours or bool(known and digest(self.data) == known.digest)


WantedFile = EditedOnDisk | OwnFileOnDisk


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ConfigError("a path of this installation is not UTF-8, so it can't stand in a hook") from None
