"""The write guard: why a file may not become part of the memory."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field

from ctxrepo.domain.note.markdown import lines_of
from ctxrepo.domain.note.note import decode, decode_exactly, utf16
from ctxrepo.domain.project.layout import REGISTRY, is_note, shown, unsafe
from ctxrepo.domain.project.registry import parse
from ctxrepo.domain.secrets import mask, scan
from ctxrepo.errors import Refused
from ctxrepo.lazy import dataclass

MAX_BYTES = 1024 * 1024
"""The most bytes of one file; larger ones would make every clone, merge and search slow for ever."""


@dataclass(frozen=True)
class Refusal:
    """A reason to refuse the file at `path`, which may hold a secret (show `at`), as `message` never does.
    `rule` is `path`, `size`, `schema`, `secret` or `deletions`; `line` is 1-based, 0 for the whole file."""

    path: str = field(repr=False)
    rule: str
    message: str
    line: int = 0
    fingerprint: str = ""

    @property
    def at(self) -> str:
        """The place to show: `path` or `path#L10`, with secrets masked."""
        return shown(mask(self.path)) + (f"#L{self.line}" if self.line else "")


def check_file(path: str, data: bytes, allow: Collection[str] = ()) -> tuple[Refusal, ...]:
    """The reasons not to write `data` at `path`; `allow` has the fingerprints of secrets that the user
    allows. Conflict markers are no reason: what a person typed must not be lost."""
    in_name = scan(path.removesuffix(".md"))
    reasons = [("secret", f"its path holds a secret ({s.rule})", 0, s.fingerprint) for s in in_name]
    if reason := unsafe(path):
        reasons.append(("path", f"its path {reason}", 0, ""))
    if len(data) > MAX_BYTES:
        reasons.append(("size", f"it is larger than {MAX_BYTES // 1024} KiB", 0, ""))
    else:
        readable = utf16(data)
        if is_note(path) and b"\0" in data and not readable:
            line = len(lines_of(decode(data[: data.index(b"\0") + 1])))
            reasons.append(("schema", "it is not text, it has NUL bytes", line, ""))
        if path == REGISTRY and (problem := parse(decode(data)).problem):
            reasons.append(("schema", problem.removeprefix(f"{REGISTRY}: "), 0, ""))
        inside = scan(readable or decode_exactly(data))
        reasons += [("secret", f"it holds a secret ({s.rule})", s.line, s.fingerprint) for s in inside]
    return tuple(Refusal(path, *rest) for rest in reasons if not rest[3] or rest[3] not in allow)


def refuse(refusals: Sequence[Refusal]) -> None:
    """Raise Refused for the first refusal, saying how many more there are; return when there is none."""
    if not refusals:
        return
    first = refusals[0]
    more = f" (and {len(refusals) - 1} more)" if len(refusals) > 1 else ""
    fingerprints = dict.fromkeys(r.fingerprint for r in refusals if r.fingerprint)
    raise Refused(f"{first.at} was not written: {first.message}{more}", _advice(first.rule, fingerprints))


def _advice(rule: str, fingerprints: Iterable[str]) -> str:
    match rule:
        case "secret":
            quoted = ", ".join(f'"{fingerprint}"' for fingerprint in fingerprints)
            return (
                "Say where the secret is kept, not what it is; if it is none, let it through in config.toml: "
                f"[secrets] allow_secret = [{quoted}]"
            )
        case "path":
            return "Choose another name."
        case "size":
            return "Split it, or keep it elsewhere and note where."
        case _:
            return "Save it as UTF-8 text."


RULE = "deletions"
"""The rule of a file that is held back for what was deleted from it."""

WAYS = "`ctxrepo sync --accept deletions` confirms it, `ctxrepo doctor --fix` brings it back"
"""What a person can do about such a file."""

CONVERTED = "converted"
"""The rule of a file that git stores in another form than it has on disk."""

EXPLAINED = (RULE, CONVERTED)
"""The rules of which one message tells for all files, and says what to do."""


def messages_of(refusals: Sequence[Refusal]) -> list[str]:
    """One message for all files that are held back as a mass deletion, one for all that git converts, and one
    for each other refusal."""
    lines = [f"{r.at} is held back: {r.message}" for r in refusals if r.rule not in EXPLAINED]
    if converted := [r for r in refusals if r.rule == CONVERTED]:
        why = ", ".join(dict.fromkeys(r.message for r in converted))
        way = "ctxrepo commits and sends nothing of that, as it runs no filter; your own `git commit` does"
        lines.append(f"{_first_of(converted)} held back: {why}. {way}")
    if deletions := [r for r in refusals if r.rule == RULE]:
        first = deletions[0]
        why = f"because so much is rarely deleted on purpose ({first.message})"
        lines.append(f"{_first_of(deletions)} held back, {why}: {WAYS}")
    return lines


def _first_of(refusals: Sequence[Refusal]) -> str:
    return refusals[0].at + (f" and {len(refusals) - 1} more" if len(refusals) > 1 else "")
