"""The table of what a credential looks like, vendor by vendor, and the general rules that follow it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ctxrepo.domain.secrets import shape

SHORTEST_TOKEN = 16
"""Bytes: nothing that a rule for one word finds is shorter."""

Judge = Callable[[re.Match[bytes]], bool]


@dataclass(frozen=True)
class Rule:
    """`pattern` is tried where one of `anchors` stands (in lower case when `ignores_case`).

    With `is_one_word` the anchor is part of a run of SHORTEST_TOKEN or more characters without white space,
    which few words of a note are.

    Its last group that took part, else the whole match, is the secret if `is_real` agrees. Every repetition
    in a pattern is bounded and can be read in one way only: the text may be hostile.
    """

    name: str
    anchors: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    is_real: Judge
    ignores_case: bool = False
    is_one_word: bool = False


def _token(name: str, anchors: str, pattern: str, is_real: Judge = shape.is_token) -> Rule:
    """A rule for one run of characters, with its anchors as the words of a string."""
    compiled = re.compile(pattern.encode())
    return Rule(name, tuple(anchors.encode().split()), compiled, is_real, is_one_word=True)


def _phrase(name: str, anchors: str, pattern: str, is_real: Judge) -> Rule:
    """A rule for what may have white space in it."""
    return Rule(name, tuple(anchors.encode().split()), re.compile(pattern.encode()), is_real)


def _wordy(name: str, anchors: tuple[str, ...], pattern: str, is_real: Judge) -> Rule:
    """A rule for words that people write in any case."""
    compiled = re.compile(pattern.encode(), re.IGNORECASE)
    return Rule(name, tuple(a.encode() for a in anchors), compiled, is_real, ignores_case=True)


def _prefixed(name: str, prefixes: str, body: str) -> Rule:
    """A token that its vendor lets begin with a word of its own; `body` is what follows."""
    words = "|".join(re.escape(p) for p in prefixes.split())
    return _token(name, prefixes, f"(?<![A-Za-z0-9])(?:{words}){body}")


_ALNUM = "[A-Za-z0-9]"
_URLSAFE = "[A-Za-z0-9_-]"

_VENDORS = (
    _prefixed("aws-access-key", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _prefixed("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _ALNUM + "{30,255}"),
    _prefixed("github-token", "github_pat_", "[A-Za-z0-9_]{40,255}"),
    _prefixed(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- glft- glsoat- glagent- gloas-",
        _URLSAFE + "{20,255}",
    ),
    _prefixed(
        "slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp- xoxe.", "[A-Za-z0-9.-]{10,255}"
    ),
    _token(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,120})",
    ),
    _prefixed("stripe-key", "sk_live_ rk_live_ sk_prod_ rk_prod_", _ALNUM + "{16,255}"),
    _prefixed("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/]{24,120}"),
    _prefixed("google-api-key", "AIza", _URLSAFE + "{35}(?![A-Za-z0-9_-])"),
    _prefixed("google-oauth-secret", "GOCSPX-", _URLSAFE + "{24,64}"),
    _prefixed("google-oauth-token", "ya29.", _URLSAFE + "{30,512}"),
    _prefixed("anthropic-key", "sk-ant-", _URLSAFE + "{20,255}"),
    _prefixed("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None- sk-or-v1-", _URLSAFE + "{20,255}"),
    _prefixed("openai-key", "sk-", _ALNUM + "{20,128}(?![A-Za-z0-9-])"),
    _prefixed("groq-key", "gsk_", _ALNUM + "{40,80}"),
    _prefixed("xai-key", "xai-", _ALNUM + "{60,120}"),
    _prefixed("perplexity-key", "pplx-", _ALNUM + "{32,80}"),
    _prefixed("replicate-token", "r8_", _ALNUM + "{36,48}"),
    _prefixed("huggingface-token", "hf_ api_org_", _ALNUM + "{30,80}"),
    _prefixed("npm-token", "npm_", _ALNUM + "{36,80}"),
    _prefixed("pypi-token", "pypi-", _URLSAFE + "{50,512}"),
    _prefixed("rubygems-key", "rubygems_", "[a-f0-9]{48}"),
    _prefixed("docker-token", "dckr_pat_ dckr_oat_", _URLSAFE + "{24,80}"),
    _prefixed("sendgrid-key", "SG.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _prefixed("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", "[a-f0-9]{64}"),
    _prefixed("twilio-key", "SK", "[0-9a-f]{32}(?![A-Za-z0-9])"),
    # The account's id alone is public; with the 32 digits after it, it is a login.
    _token(
        "twilio-auth-token",
        "AC",
        r"(?<![A-Za-z0-9])AC[0-9a-f]{32}(?![A-Za-z0-9])[\s\S]{1,120}?(?<![A-Za-z0-9])([0-9a-f]{32})(?![A-Za-z0-9])",
    ),
    _prefixed("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[a-fA-F0-9]{32}"),
    _prefixed("atlassian-token", "ATATT3 ATCTT3 ATBB", r"[A-Za-z0-9_=-]{24,255}"),
    _prefixed("vault-token", "hvs. hvb.", _URLSAFE + "{24,255}"),
    _prefixed("grafana-token", "glsa_ glc_", r"[A-Za-z0-9_+/=]{32,255}"),
    _prefixed("linear-key", "lin_api_", _ALNUM + "{32,64}"),
    _prefixed("notion-token", "ntn_", _ALNUM + "{40,64}"),
    _prefixed("databricks-token", "dapi", "[a-f0-9]{32}(?![A-Za-z0-9])"),
    _prefixed("sentry-token", "sntrys_ sntryu_", r"[A-Za-z0-9_+/=]{40,512}"),
    _prefixed("tailscale-key", "tskey-", "[A-Za-z0-9-]{20,128}"),
    _prefixed("postman-key", "PMAK-", "[a-f0-9]{24}-[a-f0-9]{34}"),
    _prefixed("figma-token", "figd_", _URLSAFE + "{36,64}"),
    _prefixed("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_.=-]{32,64}"),
    _prefixed("netlify-token", "nfp_", _ALNUM + "{36,64}"),
    _prefixed("fly-token", "fo1_", _URLSAFE + "{43}"),
    _prefixed("doppler-token", "dp.pt. dp.st. dp.sa.", r"[A-Za-z0-9._-]{40,80}"),
    _prefixed("newrelic-key", "NRAK-", "[A-Z0-9]{27}"),
    _prefixed("square-token", "sq0atp- sq0csp- EAAAE", _URLSAFE + "{22,64}"),
    _prefixed("mailgun-key", "key-", "[0-9a-f]{32}(?![A-Za-z0-9])"),
    _prefixed("alibaba-access-key", "LTAI", _ALNUM + "{16,24}(?![A-Za-z0-9])"),
    _prefixed("age-key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    _prefixed("onepassword-token", "ops_eyJ", "[A-Za-z0-9+/]{100,2048}"),
    _token("telegram-token", ":AA", r"(?<=[0-9]{8}):AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])"),
    _token(
        "discord-webhook", "/api/webhooks/", r"(?<=\.com)/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_-]{50,100})"
    ),
    _token(
        "azure-key",
        "AccountKey= SharedAccessKey= SharedSecretKey=",
        r"[A-Za-z]{10,15}=([A-Za-z0-9+/]{40,100}={0,2})",
    ),
)

_FORMATS = (
    # The class before `eyJ` is that of the token itself: a run is read once, however often it says eyJ.
    _token(
        "jwt",
        "eyJ",
        r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2048}+\.ey[A-Za-z0-9_-]{8,8192}+\.[A-Za-z0-9_-]{16,2048}+",
    ),
    # A header that is only talked about has no body: white space, named fields, then lines of base64.
    _phrase(
        "private-key",
        "-----BEGIN",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s>|]{0,64}+"
        r"(?:[A-Za-z-]{1,30}: [^\r\n]{0,120}+[\r\n][\s>|]{0,64}+){0,6}"
        r"([A-Za-z0-9+/=]{16,8192}+"
        r"(?:[\s>|]{1,64}+(?:[A-Za-z0-9+/=]{16,8192}+|[A-Za-z0-9+/=]{1,99}+(?=[\r\n]|\Z))){0,250}+)",
        shape.is_key_body,
    ),
    _phrase(
        "private-key",
        "Private-Lines:",
        r"Private-Lines: [0-9]{1,4}\s{1,4}([A-Za-z0-9+/=\s]{16,8192}+)",
        shape.is_key_body,
    ),
    _token(
        "url-password",
        "://",
        r"://[^\s:/@\"'<>()\[\]{}|]{0,64}:([^\s/@\"'<>|]{3,200})@[A-Za-z0-9\[._-]",
        shape.is_url_password,
    ),
    _token("url-password", "://", r"://([A-Za-z0-9_-]{24,255})@[A-Za-z0-9\[._-]", shape.is_random),
    _wordy(
        "authorization-header",
        ("bearer",),
        r"(?<![a-z0-9])bearer[ \t:=\"']{1,4}([a-z0-9][a-z0-9._~+/=-]{15,512}+)",
        shape.is_random,
    ),
    _wordy(
        "authorization-header",
        ("authorization",),
        r"authorization[\"']{0,2}[ \t]{0,3}[:=][ \t\"']{0,4}(?:basic|token|apikey|digest)[ \t]{1,3}"
        r"([a-z0-9+/][a-z0-9._~+/=:-]{11,512}+)",
        shape.is_random,
    ),
    _phrase(
        "command-line-password",
        "-u",
        r"-u(?:ser)?[ =][\"']?[\w.@-]{1,64}:([^\s\"']{8,200})",
        shape.is_password,
    ),
)

# `NAME_more = value`, `name: "value"`, `| name | value |`, `<name>value`, `name for staging is value`; behind
# a colon the value may be all there is on the next line.
_ASSIGNED = (
    r"(?P<more>(?:[_-]?[A-Za-z0-9]{1,20}(?:[_-][A-Za-z0-9]{1,20}){0,3})?+)"
    r"(?: (?:for|of|on|in|to)(?: [\w./@-]{1,30}){1,4}?)?"
    r"[\"'*)\]]{0,4}[ \t]{0,20}"
    r"(?:(?:=>|->|:=|==?|::?|\||>|(?:is|was)(?=[ \t\"'*]))\*{0,3}[ \t]{0,20}"
    r"|:\*{0,3}[ \t]{0,4}(?:[|>]-?)?(?:\r\n?|\n)[ \t>]{0,20}(?:[-*+][ \t]{1,4})?"
    r"(?=\S{12,512}+[ \t]{0,4}(?:[\r\n]|\Z)))"
    r"[*_]{0,3}(?:[bru]{0,2}(?P<quote>[\"'])(?P<quoted>[^\"'\s]{12,512})(?=[\"'])"
    r"|(?P<bare>[^\s\"',;<>(){}\[\]|]{12,512}+)(?![(\[{]))"
)

_ASSIGNMENTS = (
    _wordy(
        "aws-secret-key",
        ("secret",),
        r"secret[_-]?(?:access)?[_-]?key[\"'*]{0,3}[ \t]{0,4}[:=|][ \t\"'*]{0,6}"
        r"([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        shape.is_mixed,
    ),
    _wordy(
        "password",
        ("pass", "pwd"),
        f"(?:pass(?:word|wd|phrase|code)?|pwd){_ASSIGNED}",
        shape.is_assigned_password,
    ),
    _wordy(
        "secret",
        ("secret", "token", "credential"),
        f"(?:secret|token|credential){_ASSIGNED}",
        shape.is_assigned_secret,
    ),
    _wordy("api-key", ("key",), f"key{_ASSIGNED}", shape.is_assigned_key),
    _wordy(
        "command-line-secret",
        ("--",),
        r"--(?:(?:(?:api|app|auth|access|admin|bot|private|refresh)-)?(?:token|secret)|(?:api|auth|access|secret)-key"
        r"|client-secret|pass|password)[ \t]{1,3}"
        r"[\"']?([^\s\"'<>(){}\[\],;|]{12,512})",
        shape.is_random,
    ),
)

RULES: tuple[Rule, ...] = (*_VENDORS, *_FORMATS, *_ASSIGNMENTS)
"""Special before general: of two that find the same, the first names it."""
