"""Secrets beside a word for them, in the languages that teams write: `password`, `mot de passe`, `API_KEY`.

`NAME_more = value`, `name: "value"`, `| name | value |`, `<name>value`, `name for staging is value`,
`name("value")`, `name" value="value`; behind a colon the value may be all there is on the next line."""

import re
import unicodedata
from collections.abc import Iterable

from ctxrepo.domain.secrets.rule import Judge, Rule
from ctxrepo.domain.secrets.shape import shape
from ctxrepo.domain.secrets.words import WORDS
from ctxrepo.lazy import dataclass, lazy_pattern

PLACES = (
    r"(?<![a-z])pins?[0-9]?(?![a-z])|(?<![a-z])puk[12]?(?![a-z])|(?<![a-z])cv[vc]2?(?![a-z])|pin[ -]?(?:code|number|\xd0)|door|gate|alarm|safe\b|lock|key ?box|keypad|garage|entrance|entry|access code|intercom|"
    r"cabinet|server ?room|porte|portail|coffre|puerta|caja fuerte|portón|porta|cancello|allarme|cassaforte|cofre|tür|tuer|tresor|"
    r"deur|kluis|poort|drzwi|bram|sejf|двер|сейф|домофон|ворот|ovi|dör|dør|larm|kapı|kasa|ドア|金庫|门|保险|문|geheimzahl|digicode"
)


def _spellings(word: str) -> set[bytes]:
    """How a word may be written: as it is, with a capital, in capitals; its accents apart or not.

    Letters of ASCII are in lower case, as in the text that is searched."""
    cased = {word, word.capitalize(), word.upper()}
    formed = {unicodedata.normalize(form, w) for w in cased for form in ("NFC", "NFD")}
    return {w.encode().lower() for w in formed}


def spellings_of(listed: str) -> set[bytes]:
    return {spelling for word in listed.split() for spelling in _spellings(word.replace("+", " "))}


_SEPARATOR = (
    r"(?:=>|->|:=|==?|::?|\||>|\xef\xbc\x9a|\xef\xbc\x9d|\xe2\x86\x92|\xe2\x80[\x93\x94](?= )|-(?= ))"
)
_IS = (
    r"(?:is|was|ist|lautet|war|est|es|era|\xc3\xa9|\xc3\xa8|e|jest|je|on|\xc3\xa4r|er|"
    r"\xd1\x8d\xd1\x82\xd0\xbe|\xe3\x81\xaf|\xe6\x98\xaf|\xe4\xb8\xba|\xeb\x8a\x94|\xec\x9d\x80|are|sind|sont)(?=[ \t\"'*]|(?<=[\x80-\xff]))"
)
_BLANK = r"(?:[ \t]|\xc2\xa0|\xe2\x80\xaf|\xe3\x80\x80)"
_FOR = (
    r"(?:for|of|on|in|to|f\xc3\xbcr|fuer|von|vom|zum|zur|der|des|beim|de|du|pour|sur|para|do|da|del|di|per|voor|van"
    r"|till?|f\xc3\xb6r|dla|pro|\xd0\xb4\xd0\xbb\xd1\x8f|\xd0\xbe\xd1\x82|\xd0\xba|api)"
)
_ADJECTIVES = r"(?:[ ][A-Za-z'\x80-\xff-]{1,20}){0,3}?"
_NAMED = (
    r"(?P<more>(?:[_.-]?[A-Za-z0-9]{1,20}(?:[_.-][A-Za-z0-9]{1,20}){0,3})?+)"
    rf"(?:[ ]{_FOR}(?:[ ][\w./@'\x80-\xff-]{{1,30}}){{0,4}}?)?(?:[ ]?\([^()\r\n]{{1,40}}\))?"
)
# « for the French, 「 for the Japanese, and what typographers made of a quote.
_OPEN = rf"(?:(?:\xc2\xab|\xe3\x80[\x8c\x8e]|\xe2\x80[\x98-\x9f]){_BLANK}?)?"
_BARE = r"(?:[^\s\"'<>\xc2\xe2\xe3]|\xc2(?!\xbb|\xa0)|\xe2(?!\x80[\x98-\x9f\xaf])|\xe3(?!\x80[\x80-\x82\x8d\x8f]))"
_ASSIGNED = (
    rf"[\"'*)\]]{{0,4}}{_BLANK}{{0,20}}"
    rf"(?:(?:{_SEPARATOR}|{_IS})\*{{0,3}}{_BLANK}{{0,20}}"
    r"|[ ]?(?:content|value|v)=(?=[\"'])"
    # A name and its value, each with a name of its own: what Kubernetes and Terraform write.
    r"|,?[ ]?\{?\s{1,20}[\"']?(?:value|val|default)[\"']?[ ]{0,3}[:=][ ]{0,3}"
    r"|\((?=[\"'])"
    r"|,[ ]{0,4}(?=[\"'])"
    r"|(?::|\xef\xbc\x9a)\*{0,3}[ \t]{0,4}(?:[|>]-?)?(?:\r\n?|\n)[ \t>]{0,20}(?:[-*+][ \t]{1,4})?"
    r"(?=\S{8,512}+[ \t]{0,4}(?:[\r\n]|\Z)))"
    rf"[*_]{{0,3}}{_OPEN}"
    r"(?:[bruf]{0,2}(?P<quote>[\"'])(?P<quoted>[^\"'\s]{6,512})(?=[\"'])"
    rf"|(?P<bare>{_BARE}{{6,512}}+))"
)


def _label(
    name: str,
    words: Iterable[bytes],
    is_real: Judge,
    example: str,
    clean: str,
    *,
    parts: Iterable[bytes] = (),
    start: bytes = b"",
    more: str = "",
) -> Rule:
    """The rule for values beside one of the words; `parts` begin words of which they may be the end.

    So many parameters because a call is a row of a table, and each is one of its columns."""
    longest_first = sorted(words, key=len, reverse=True)
    regex = (
        start
        + b"(?:"
        + b"|".join(map(re.escape, longest_first))
        + b")"
        + f"{_NAMED}{more}{_ASSIGNED}".encode()
    )
    # Chinese, Japanese, Korean and Thai have no blanks between words.
    inner = {*parts, *(w for w in longest_first if w[0] > 0xDF)}
    anchors = {next((p for p in inner if w.startswith(p)), w) for w in longest_first}
    return Rule(
        name,
        "any",
        tuple(sorted(anchors)),
        regex,
        is_real,
        ignores_case=True,
        is_label=True,
        inner=frozenset(inner),
        example=example,
        clean=clean,
    )


LABELS: tuple[Rule, ...] = (
    Rule(
        "aws-secret-key",
        "AWS",
        (b"secret",),
        r"secret[_-]?(?:access)?[_-]?key[\"'*]{0,3}[ \t]{0,4}[:=|][ \t\"'*]{0,6}"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        shape.is_mixed,
        ignores_case=True,
        example="aws_secret_access_key = {b40}",
        clean="aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ),
    _label(
        "password",
        {b"password", b"passwd", b"passphrase", b"pass phrase", b"pass-phrase", b"passcode", b"pass", b"pwd"}
        | spellings_of(WORDS["passwords"]),
        shape.is_assigned_password,
        "Passwort: {a9}!{a4}",
        "password: ${DB_PASSWORD}",
        parts=(b"pass", b"pwd", b"kennwort", "lösenord".encode(), b"wachtwoord", b"senha"),
    ),
    _label(
        "password",
        {b"pw"},
        shape.is_assigned_password,
        "pw: {a9}!{a4}",
        "pw: see the vault",
        start=b"(?<![a-z0-9])",
    ),
    _label(
        "secret",
        {b"secret", b"token", b"credential", b"credentials", b"creds"},
        shape.is_assigned_secret,
        "client_secret: {a32}",
        "token: bearer in header",
        parts=(b"secret", b"token", b"cred"),
    ),
    _label(
        "secret",
        {*b"auth pat psk wif salt community wifi wi-fi wlan totp otp 2fa mfa cookie seed cvv login".split()},
        shape.is_assigned_varied,
        "psk: {a16}",
        "salt: see the settings",
        start=b"(?<![a-z0-9])",
    ),
    _label(
        "vendor-key",
        {word.encode() for word in WORDS["vendors"].split()},
        shape.is_vendors,
        "Datadog: {h32}",
        "datadog: 7 monitors",
    ),
    # In a sentence nothing stands between the word and the secret.
    Rule(
        "secret",
        "any",
        (b"cred", b"key", b"pass", b"psk", b"pw", b"pwd", b"secret", b"token", b"wachtwoord", b"kennwort"),
        rb"(?:(?:pass(?:wor[dt]|wd|phrase|code)?|pwd|(?<![a-z])pw|secret|token|kennwort|wachtwoord|credentials?|key|(?<![a-z])psk)[\"'*)]{0,4}"
        rb"(?:[ ](?:for|f\xc3\xbcr|of|pour)(?:[ ][\w./@-]{1,30}){1,3}|[ ,][^\r\n:=]{1,50}?[ ](?:is|now|are))?[ ]{1,3}(?:[057][ ])?[\"'*(]{0,3}([^\s\"'<>*]{8,200}))",
        shape.is_spoken,
        ignores_case=True,
        inner=frozenset((b"cred", b"key", b"pass", b"pwd", b"secret", b"token", b"wachtwoord", b"kennwort")),
        example="use the password {a12} for staging",
        clean="the token ERC20Votes and the key SHA256withRSA",
    ),
    _label(
        "api-key",
        {b"key"},
        shape.is_assigned_key,
        "API_KEY={h32}",
        "cache key: v3-linux-x64-{h32}",
        parts=(b"key",),
    ),
    _label(
        "secret",
        spellings_of(WORDS["secrets"]),
        shape.is_foreign,
        "clé secrète : {a32}",
        "Schlüssel: liegt im Tresor",
        parts=("schlüssel".encode(), b"schluessel"),
        more=_ADJECTIVES,
    ),
)


PASSWORD, KEY, CODE = "password", "secret", "pin"

STEMS: dict[bytes, str] = {
    **dict.fromkeys(spellings_of(WORDS["code-stems"]), CODE),
    **dict.fromkeys(spellings_of(WORDS["key-stems"]), KEY),
    **dict.fromkeys(spellings_of(WORDS["password-stems"]), PASSWORD),
}
"""Stems of words for secrets, in lower case, and the kind of secret that they announce."""

INNER = frozenset(
    "pass pwd psk key secret token credential kennwort code community securestring schlüssel".encode().split()
) | {b"log in", b"sign in"}
"""Stems that may stand within a longer word."""

_GLUED = lazy_pattern(rb"[A-Za-z0-9\x80-\xff]{0,24}(?:[_.-][A-Za-z0-9]{1,20}){0,4}")
_BEFORE = lazy_pattern(rb"[A-Za-z0-9_.\x80-\xff-]{0,40}\Z")
_ABOUT = shape.ABOUT - {b"id"}
_ENDS = frozenset(WORDS["ends"].encode().split()) | {b""}
_KEYED = lazy_pattern(
    rb"(?:[_.-]|\A|api|app|access|auth|private|secret|sign|signing|shared|master|pass|licen[sc]e|client|account"
    rb"|session|service|storage|deploy|machine|crypt|encrypt|local|psk|ssh|hmac|jwt|network|s|[0-9])\Z"
)


IS_PLACE = lazy_pattern(PLACES.encode())


_BY_HEAD: dict[bytes, list[bytes]] = {}
for _stem in STEMS:
    _BY_HEAD.setdefault(_stem[:3], []).append(_stem)


def places(lowered: bytes, words: set[bytes]) -> list[tuple[int, bytes]]:
    """The positions of stems in order; `words` are the words of the text."""
    stems = {stem for word in words for stem in _BY_HEAD.get(word[:3], ()) if word.startswith(stem)}
    stems |= {stem for word in words if len(word) == 2 for stem in _BY_HEAD.get(word, ())} | INNER
    if not lowered.isascii():
        stems |= {stem for stem in STEMS if not stem.isascii()}
    places_of_stems = []
    for stem in stems:
        at = lowered.find(stem)
        while at >= 0:
            places_of_stems.append((at, stem))
            at = lowered.find(stem, at + len(stem))
    return sorted(places_of_stems, key=lambda pair: (pair[0], -len(pair[1])))


@dataclass(frozen=True)
class SecretWord:
    """A word for a secret, with the rest of its name, as in `DB_PASSWORD_2`."""

    start: int
    end: int
    kind: str


def label_at(data: bytes, lowered: bytes, at: int, stem: bytes) -> SecretWord | None:
    """The whole word around a stem, if it names the secret itself and not something about it."""
    kind = STEMS[stem]
    match = _GLUED.match(lowered, at + len(stem))
    assert match
    glued, *more = match[0].replace(b"-", b"_").replace(b".", b"_").split(b"_")
    before = _BEFORE.search(lowered, max(0, at - 40), at)
    prefix = before[0] if before else b""
    if stem in INNER or stem.isascii():
        ends = glued.rstrip(b"0123456789")
        if stem in INNER and ends not in _ENDS and ends.isascii():
            return None
        if stem == b"key" and ends in (b"word", b"words"):
            return None
        if stem not in INNER and (
            (prefix[-1:].isalnum() if stem[:1].isdigit() else prefix[-1:].isalpha())
            or len(ends) > 5
            or (len(stem) < 4 and ends)
        ):
            return None
    if data.startswith(b"-----", at + len(stem)):  # The head of PEM, which has rules of its own.
        return None
    if kind == CODE and prefix[-1:].isalpha() and not IS_PLACE.search(prefix):
        return None
    if more and more[-1] in _ABOUT:
        return None
    if stem == b"key" and prefix[-1:].isalpha() and not _KEYED.search(prefix) and data[at : at + 1] != b"K":
        return None
    if stem[0] > 0xE2:  # Chinese, Japanese, Korean: no blank follows a word.
        return SecretWord(at - len(prefix), at + len(stem), kind)
    end = match.end() if not more or match[0][-1:] != b"-" else at + len(stem)
    return SecretWord(at - len(prefix), end, kind)
