"""Secrets that stand beside a word for them: `password`, `Passwort`, `mot de passe`, `API_KEY`.

`NAME_more = value`, `name: "value"`, `| name | value |`, `<name>value`, `name for staging is value`,
`name("value")`, `name" value="value`; behind a colon the value may be all there is on the next line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ctxrepo.domain.secrets.rule import Judge, Rule, text
from ctxrepo.domain.secrets.shape import shape
from ctxrepo.domain.secrets.tables.languages import PASSWORDS, SECRETS, VENDORS_NAMES, spellings_of

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

    So many parameters because a call is a row of a table, and each is one of its columns.
    """
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
    text(
        "aws-secret-key",
        "AWS",
        ("secret",),
        r"secret[_-]?(?:access)?[_-]?key[\"'*]{0,3}[ \t]{0,4}[:=|][ \t\"'*]{0,6}"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        shape.is_mixed,
        "aws_secret_access_key = {b40}",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        ignores_case=True,
    ),
    _label(
        "password",
        {b"password", b"passwd", b"passphrase", b"pass phrase", b"pass-phrase", b"passcode", b"pass", b"pwd"}
        | spellings_of(PASSWORDS),
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
        {
            b"auth",
            b"pat",
            b"psk",
            b"wif",
            b"salt",
            b"community",
            b"wifi",
            b"wi-fi",
            b"wlan",
            b"totp",
            b"otp",
            b"2fa",
            b"mfa",
            b"cookie",
        }
        | {b"seed", b"cvv", b"login"},
        shape.is_assigned_varied,
        "psk: {a16}",
        "salt: see the settings",
        start=b"(?<![a-z0-9])",
    ),
    _label(
        "vendor-key",
        {word.encode() for word in VENDORS_NAMES.split()},
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
        spellings_of(SECRETS),
        shape.is_foreign,
        "clé secrète : {a32}",
        "Schlüssel: liegt im Tresor",
        parts=("schlüssel".encode(), b"schluessel"),
        more=_ADJECTIVES,
    ),
)
