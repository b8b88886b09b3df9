"""Values that stand near a word for a secret, however the sentence or the file around them is built.

The other rules say what stands between a label and its secret. Here the value is looked at first: the more
random it is, the farther away its label may be. Only lines with a label, and those that follow one, are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from ctxrepo.domain.secrets.shape import content
from ctxrepo.domain.secrets.shape.content import is_said_phrase
from ctxrepo.domain.secrets.shape.grade import Grade, graded
from ctxrepo.domain.secrets.stems import CODE, IS_PLACE, PASSWORD, SecretWord, label_at
from ctxrepo.lazy import dataclass, lazy_pattern

Found = tuple[int, int, str]
"""Start, end, rule."""

_FAR = 120
_CODE_GAP, _CODE_PLACE_GAP, _PASS_GAP = 50, 40, 16
_CHOSEN_PASSWORD_GAP, _CHOSEN_GAP, _LIKELY_GAP = 60, 30, 60
"""Bytes between a label and its value, by how random the value looks; _FAR for any."""

_BEFORE_LABEL = 24
"""Bytes before a label in which another word may say that no secret follows."""

_LINE = 4096
_RUN = lazy_pattern(rb"[!#$%&*+\-./0-9:=?@A-Z^_a-z~\[\](){}<>;,|]{6,512}")
_PLAIN = lazy_pattern(rb"[!#$%&*+\-./0-9:=?@A-Z^_a-z~]{3,512}")
_NAME = lazy_pattern(rb"[\w.-]{1,40}[=:]{1,2}(?=[^=])")
_SEPARATED = lazy_pattern(
    rb"(?:[:=|>\x92\x9c\x9a\x93\x94~]|(?<=\s)-|(?<![a-z\x80-\xff])(?:is|was|now|ist|war|lautet|auf|est|es"
    rb"|era|son|c'est|\xc3\xa9|\xc3\xa8|e|eh|to|jest|je"
    rb"|er|on|se|este|esta|\xc3\xa4r|in|vers|a|als|as|na|od|with|mit|avec|con|com|met|van|\xd0\xbd\xd0\xb0"
    rb"|\xd1\x8d\xd1\x82\xd0\xbe|key|hex|raw)"
    rb"|\xe3\x81\xaf|\xe3\x82\x92|\xe6\x98\xaf|\xe4\xb8\xba|\xe7\x82\xba|\xe6\x88\x90\xe4\xba\x86"
    rb"|\xeb\x8a\x94|\xec\x9d\x80|\xe5\x88\xb0)"
    rb"[\s\"'*_(\[{<]{0,8}(?:\xc2\xab|\xc2\xa0|\xe2\x80[\x98-\x9f\xaf]"
    rb"|\xe3\x80[\x80\x8c\x8e])*[\s\"'*_]{0,4}\Z"
)
_ARGUMENT = lazy_pattern(rb"[(\[{,:=][ ]?[bruf]?[\"']\Z")
_BESIDE = lazy_pattern(
    rb"[\s\"'*_)(\]\[}>,=:]{0,6}(?:\xc2\xab|\xc2\xa0|\xe2\x80[\x98-\x9f\xaf]|\xe3\x80[\x80\x8c\x8e]|\s)*\Z"
)
_ANOTHER = lazy_pattern(
    rb"public|publishable|fingerprint|checksum|digest|idempot|thumbprint|revision|integrity|correlation"
    rb"|arn:|https?:|ssh-|ecdsa-"
    rb"|(?<![a-z])(?:sha-?[0-9]{1,3}|md5|commit|hash(?:es|ed)?|cursor|page|next|csrf|xsrf|cache|partition"
    rb"|sort|foreign|(?<!secret_)(?<!secret-)(?<!session )ids?|uuid|guid"
    rb"|etag|trace|request|cancel|version|modules|serial|certificate|sample|example|dummy|vocab|image"
    rb"|bucket|known|object"
    rb"|metric|contract|address|file|path|url|user-agent|regex|pattern|length|(?:pad|eos|bos|unk|mask|cls"
    rb"|sep)_token|release|status|isbn"
    rb"|(?:page|next|prev|continuation|cursor|sync|pad|cancel|design)token|algorithm|cipher|curve|issues?"
    rb"|pull|pr)(?![a-z])"
)


@dataclass(frozen=True)
class _Value:
    """What may be a secret. It is graded once it stands near enough to a label, as few words of a line do."""

    start: int
    end: int
    text: bytes
    is_app_password: bool = False

    @cached_property
    def grade(self) -> Grade:
        return Grade.CHOSEN if self.is_app_password else graded(self.text)


def values(data: bytes, lowered: bytes, places: Iterable[tuple[int, bytes]]) -> Iterator[Found]:
    """The secrets near the stems that stand at these places, in order."""
    line_end = -1
    labels: list[SecretWord] = []
    for at, stem in places:
        if at >= line_end and labels:
            yield from _of_line(data, lowered, labels, line_end)
            labels = []
        if at >= line_end:
            line_end = _end_of_line(data, at)
        if (not labels or at >= labels[-1].end) and (label := label_at(data, lowered, at, stem)):
            labels.append(label)
    if labels:
        yield from _of_line(data, lowered, labels, line_end)


def _end_of_line(data: bytes, at: int) -> int:
    ends = [end for mark in (b"\n", b"\r") if (end := data.find(mark, at, at + _LINE)) >= 0]
    return min(ends, default=min(len(data), at + _LINE))


def _of_line(data: bytes, lowered: bytes, labels: list[SecretWord], line_end: int) -> Iterator[Found]:
    """What the labels of a line announce: on it, or alone on the next."""
    at = labels[0].start
    found = list(_values(data, max(0, at - 100, data.rfind(b"\n", 0, at) + 1), line_end))
    hit = False
    for label in labels:
        if label.kind == PASSWORD and (phrase := is_said_phrase(data, label.end)):
            hit = True
            yield *phrase, label.kind
        for value in found:
            if value.end <= label.start and _is_said_after(lowered, label, value):
                hit = True
                yield value.start, value.end, label.kind
            if value.start >= label.end and _announces(data, lowered, label, value):
                hit = True
                yield value.start, value.end, label.kind
    if not hit and (below := _alone_below(data, lowered, labels[-1], line_end)):
        yield below.start, below.end, labels[-1].kind


def _values(data: bytes, start: int, end: int) -> Iterator[_Value]:
    for run in _PLAIN.finditer(data, start, end):
        first = run.start()
        value = run[0].rstrip(b".,:;")
        if name := _NAME.match(value):
            first += name.end()
            value = value[name.end() :]
        stripped = value.lstrip(b"=:-.>")
        first += len(value) - len(stripped)
        if stripped[:1] != b"@":
            yield _Value(first, first + len(stripped), stripped)

    for groups in _GROUPS.finditer(data, start, end):
        if content.is_app_password(groups):
            yield _Value(*groups.span(), groups[0], is_app_password=True)


_GROUPS = lazy_pattern(
    rb"(?<![\w-])(?:[a-z]{4}([ -])[a-z]{4}\1[a-z]{4}\1[a-z]{4}|[A-Za-z0-9]{4}(?:[ ][A-Za-z0-9]{4}){5})"
    rb"(?![\w-]|[ ][a-z])"
)


def _announces(data: bytes, lowered: bytes, label: SecretWord, value: _Value) -> bool:
    """Whether the value is near enough to the label for what it looks like."""
    if value.start - label.end > _FAR or value.grade is Grade.NONE:
        return False
    gap = lowered[label.end : value.start]
    if _ANOTHER.search(lowered, max(0, label.start - _BEFORE_LABEL), value.start):
        return False
    if data[value.end : value.end + 1] in (b"(", b"[", b"{") or _has_another_name(gap):
        return False
    is_beside, is_separated = bool(_BESIDE.match(gap)), bool(_SEPARATED.search(gap) or _ARGUMENT.search(gap))
    if label.kind == CODE:
        is_told = (
            is_beside
            or (len(gap) < _CODE_PLACE_GAP and _A_PLACE.match(gap) and IS_PLACE.search(gap))
            or (is_separated and len(gap) < _CODE_GAP and not gap.rstrip().endswith(b">"))
        )
        return bool(value.grade is Grade.NUMBER and is_told and _is_place(lowered, label, gap))
    is_pass = lowered[label.start : label.end] == b"pass"
    if is_pass and not (is_beside or (is_separated and len(gap) < _PASS_GAP)):
        return False
    if value.grade is Grade.RANDOM:
        return True
    if value.grade is Grade.UUID:
        is_session = b"session" in lowered[label.start : label.end]
        return (is_beside or is_separated) and not is_session and not _AN_ID.match(lowered, value.end)
    if value.grade is Grade.CHOSEN:
        return (
            is_beside
            or is_separated
            or len(gap) < (_CHOSEN_PASSWORD_GAP if label.kind == PASSWORD else _CHOSEN_GAP)
        )
    return (
        value.grade is Grade.LIKELY
        and (label.kind == PASSWORD or (is_beside and bool(_LONG_HEX.match(data, value.start, value.end))))
        and (is_separated or is_beside)
        and len(gap) < _LIKELY_GAP
    )


def _has_another_name(gap: bytes) -> bool:
    """Whether a value of JSON follows a name of its own, so that it isn't what a label before that names."""
    name = _OWN_NAME.search(gap)
    return name is not None and name[1] not in _NAMES_OF_VALUES


_OWN_NAME = lazy_pattern(rb"\"([\w.-]{1,60})\"[ ]?:[ ]?[\"\[]{0,2}\Z")
_NAMES_OF_VALUES = frozenset(b"value val data default content text plain stringvalue".split())

_LONG_HEX = lazy_pattern(rb"[0-9a-f]{20,31}\Z")
_AFTER = lazy_pattern(
    rb"[\s\"'*`)\]]{0,6}(?:(?:as|als|comme|como|come|jako|som)[ ](?:(?:the|my|our|a|das|mein|le|la|el|il"
    rb"|o)[ ])?|(?:to|for)[ ](?:[a-z]{1,10}[ ]){0,2}\Z|(?:is|was|ist|est|es|\xc3\xa8|\xc3\xa9)[ ](?:the"
    rb"|our|my|das|der|die|le|la|el|il|o)[ ]|\xe2\x86\x90|<-|#|//|--|\(|\xe2\x80[\x93\x94]|,[ ](?:the|our"
    rb"|das|le|la)[ ])"
    rb"[^\r\n.;:=]{0,50}\Z"
)


def _is_said_after(lowered: bytes, label: SecretWord, value: _Value) -> bool:
    """`… is the root password`, `… # the password of the database`."""
    if label.start - value.end >= 80 or value.grade < Grade.CHOSEN:
        return False
    gap = lowered[value.end : label.start]
    return bool(_AFTER.match(gap)) and not _ANOTHER.search(
        lowered, max(0, value.start - _BEFORE_LABEL), label.end
    )


def _is_place(lowered: bytes, label: SecretWord, gap: bytes) -> bool:
    return bool(IS_PLACE.search(lowered, max(0, label.start - 40), label.end + min(len(gap), 40)))


_A_PLACE = lazy_pattern(rb"[^0-9.,;:!?\r\n]{4,39} \Z")
_AN_ID = lazy_pattern(rb"[\s(]{1,3}(?:the |an? |is )?(?:id|uuid|guid)\b")
_BELOW = lazy_pattern(
    rb"[ \t*_:?}\xef\xbc\x9a\"')\].<>/a-z-]{0,12}[\r\n]{1,6}(?:[ \t>|#-]*[\r\n]{1,2}){0,2}[ \t]*"
    rb"(?:[-*+>|][ \t]+|[0-9]{1,2}[.)][ \t]+|[\xe2\x80\x94]+ )?"
    rb"(?:(?:\[[^\]\r\n]{1,24}\][ ]|(?<=[>*-][ ])|(?<=\x94[ ])|(?=(?:me|A|a|re|ich|yo|moi)[: ]))"
    rb"(?:[\w.@+ -]{1,30}:[ ]+)?)?(?:(?:sure|here|ok|yes|klar|voil\S{1,3}|a)[,:!]?[ ]+)?[\"'*]{0,3}"
    rb"(?=(\S{6,512})[\"'*]{0,3}[ \t]{0,4}(?:\(|[\r\n]|\Z))"
)

_IN_A_SUBSTITUTION = lazy_pattern(rb"(?:=[\"']?\$\(|\{\{)[^(){}\r\n]{0,200}\Z")
"""`TOKEN=$(gh auth token` prints nothing, and `{{ secrets.TOKEN` is filled in by others, so the line below
them is no answer."""


def _alone_below(data: bytes, lowered: bytes, label: SecretWord, line_end: int) -> _Value | None:
    """The value that stands alone on the line below a label that ends its own, or in an answer to it."""
    rest = data[label.end : line_end]
    if lowered[label.start : label.end] == b"pass" or b"=" in rest or b"{{" in rest:
        return None
    if data[max(0, label.start - 1) : label.start] in (
        b"$",
        b"{",
        b"%",
    ):  # The name of what is kept elsewhere.
        return None
    match = _BELOW.match(data, label.end if line_end - label.end < 60 else line_end)
    if not match:
        match = _BELOW.match(data, line_end) if line_end - label.end < 60 else None
    if not match:
        return None
    text = match[1].strip(b"\"'*,;")
    value = _Value(match.start(1), match.start(1) + len(text), text)
    least = Grade.LIKELY if label.kind == PASSWORD else Grade.CHOSEN
    if (
        value.grade < least
        or _NAME.match(text)
        or _ANOTHER.search(lowered, max(0, label.start - _BEFORE_LABEL), match.start(1))
        or _IN_A_SUBSTITUTION.search(data, max(0, label.start - _LINE), label.start)
    ):
        return None
    return value
