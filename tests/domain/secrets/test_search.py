from __future__ import annotations

import itertools
import json
import random
import re
import string
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from long import mostly_long
from made import Maker

from ctxrepo.domain.secrets import Secret, mask, scan, search
from ctxrepo.domain.secrets.rule_files import SHORTEST_TOKEN
from ctxrepo.domain.secrets.search import RULES, spans

# Placeholders of X stand here, put together: written out they would be taken for marks of unfinished work.
PLACEHOLDERS = (
    f"AKIA{'X' * 16} is what it looks like",
    f"https://hooks.slack.com/services/T000/B000/{'X' * 3}",
)
CLEAN = [*(Path(__file__).parent / "clean_lines.txt").read_text("utf-8").splitlines(), *PLACEHOLDERS]

_dice = random.Random(20260102)
_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits
_ALNUM = string.ascii_letters + string.digits
_URLSAFE = _ALNUM + "_-"
_BASE64 = _ALNUM + "+/"


def _made(alphabet: str, length: int) -> str:
    """Random, with a letter and a digit among the first, as nearly every real one has."""
    drawn = [_dice.choice(alphabet) for _ in range(length)]
    drawn[1] = next(c for c in alphabet if c.isdigit())
    drawn[2] = next(c for c in reversed(alphabet) if c.isalpha())
    return "".join(drawn)


# Put together here: no line of this file looks like a secret to those who scan repositories.
PLANTED = {
    "aws-access-key": ["AK" + "IA" + _made(_UPPER, 16), "AS" + "IA" + _made(_UPPER, 16)],
    "github-token": [
        *(f"gh{kind}_" + _made(_ALNUM, 36) for kind in "pousr"),
        "github" + "_pat_" + _made(_ALNUM, 22) + "_" + _made(_ALNUM, 59),
    ],
    "gitlab-token": ["glpat" + "-" + _made(_URLSAFE, 20)],
    "slack-token": [f"xox{kind}-" + "123456789012-" + _made(_ALNUM, 24) for kind in "abps"],
    "slack-webhook": [
        "https://hooks.sl"
        + "ack.com/services/T"
        + _made(_UPPER, 8)
        + "/B"
        + _made(_UPPER, 8)
        + "/"
        + _made(_ALNUM, 24)
    ],
    "stripe-key": ["sk_" + "live_" + _made(_ALNUM, 24), "rk_" + "live_" + _made(_ALNUM, 99)],
    "google-api-key": ["AI" + "za" + _made(_URLSAFE, 35)],
    "openai-key": [
        "sk" + "-" + _made(_ALNUM, 20) + "T3BlbkFJ" + _made(_ALNUM, 20),
        "sk" + "-proj-" + _made(_URLSAFE, 120),
    ],
    "anthropic-key": ["sk" + "-ant-api03-" + _made(_URLSAFE, 93) + "AA"],
    "npm-token": ["np" + "m_" + _made(_ALNUM, 36)],
    "pypi-token": ["py" + "pi-AgEIcHlwaS5vcmc" + _made(_URLSAFE, 120)],
    "twilio-key": ["S" + "K" + _made(_HEX, 32)],
    "sendgrid-key": ["S" + "G." + _made(_URLSAFE, 22) + "." + _made(_URLSAFE, 43)],
    "huggingface-token": ["h" + "f_" + _made(_ALNUM, 34)],
    "digitalocean-token": ["do" + "p_v1_" + _made(_HEX, 64)],
    "azure-key": [
        "DefaultEndpointsProtocol=https;AccountName=acme;Account" + "Key=" + _made(_BASE64, 86) + "==;"
    ],
    "jwt": ["ey" + "J" + _made(_URLSAFE, 33) + ".ey" + "J" + _made(_URLSAFE, 71) + "." + _made(_URLSAFE, 43)],
    "url-password": [
        "https://ada:" + _made(_ALNUM, 14) + "@git.example.org/owner/name.git",
        "postgres://app:" + _made(_ALNUM + "!$*", 16) + "@db.internal:5432/app",
        "https://" + _made(_ALNUM, 40) + "@git.example.org/owner/name.git",
        "redis://:" + _made(_HEX, 32) + "@cache:6379/0",
    ],
    "telegram-token": ["123456789:" + "AA" + _made(_URLSAFE, 33)],
    "age-key": ["AGE-SECRET" + "-KEY-1" + _made(_UPPER, 58)],
}

LINES = {
    "aws-secret-key": [
        "aws_secret_access_key = " + _made(_BASE64, 40),
        '"SecretAccessKey": "' + _made(_BASE64, 40) + '"',
    ],
    "twilio-auth-token": ["twilio: AC" + _made(_HEX, 32) + " / " + _made(_HEX, 32)],
    "authorization-header": [
        "Authorization: Bearer " + _made(_URLSAFE, 40),
        "curl -H 'authorization: bearer " + _made(_HEX, 32) + "'",
        "Authorization: Basic " + _made(_BASE64, 24) + "==",
        "Authorization: token " + _made(_HEX, 40),
    ],
    "password": [
        'password = "' + _made(_ALNUM, 12) + '"',
        "DB_PASSWORD=" + _made(_ALNUM, 16),
        "- **password**: `" + _made(_ALNUM, 16) + "`",
        "| password | " + _made(_ALNUM, 16) + " |",
        "the prod password is " + _made(_ALNUM, 14) + ", ask before you rotate it",
        "password for the staging db: " + _made(_ALNUM, 14),
        "<password>" + _made(_ALNUM, 14) + "</password>",
        "passwd: " + _made(_ALNUM, 10) + "!#" + _made(_ALNUM, 4),
        "PGPASS=" + _made(_ALNUM, 20),
        "$pwd = '" + _made(_ALNUM, 20) + "';",
        "password: Summer2024rain",
        "passphrase => " + _made(_ALNUM, 20),
        "Password:\n- `" + _made(_ALNUM, 20) + "`\n",
    ],
    "secret": [
        "client_secret: " + _made(_URLSAFE, 32),
        "SECRET_KEY_BASE=" + _made(_HEX, 128),
        "secret='" + _made(_ALNUM, 20) + "'",
        'const authToken = "' + _made(_ALNUM, 32) + '";',
        "token: " + _made(_HEX, 40),
        "TOKEN_PROD=" + _made(_ALNUM, 24),
        "refresh token is " + _made(_URLSAFE, 40),
        "https://api.example.org/v1?token=" + _made(_ALNUM, 32),
    ],
    "api-key": [
        "API_KEY=" + _made(_HEX, 32),
        'apiKey: "' + _made(_ALNUM, 32) + '"',
        "x-api-key: " + _made(_ALNUM, 40),
        "the API key for maps: " + _made(_ALNUM, 32),
        "ENCRYPTION_KEY=" + _made(_BASE64, 43) + "=",
        "api_key = 550e8400-e29b-41d4-a716-446655440000",
    ],
    "command-line-secret": ["./deploy --token " + _made(_ALNUM, 32) + " --env prod"],
    "command-line-password": ["curl -u ada:" + _made(_ALNUM, 14) + " https://api.example.org"],
    "private-key": [
        "-----BEGIN "
        + f"{kind}PRIVATE KEY{block}-----\n{head}"
        + "\n".join(_made(_BASE64, 64) for _ in range(4))
        + f"\n{_made(_BASE64, 12)}==\n-----END {kind}PRIVATE KEY{block}-----"
        for kind, block, head in (
            ("RSA ", "", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B2C\n\n"),
            ("EC ", "", ""),
            ("", "", "  "),
            ("OPENSSH ", "", "> "),
            ("PGP ", " BLOCK", "Version: GnuPG v2\n\n"),
        )
    ],
}

TOKENS = [(rule, token) for rule, tokens in PLANTED.items() for token in tokens]
EVERYTHING = TOKENS + [(rule, line) for rule, lines in LINES.items() for line in lines]
AROUND = [
    "`{}`",
    "**{}**",
    '"{}"',
    "'{}'",
    "({})",
    "- {}",
    "1. {}",
    "> {}",
    "| x | {} |",
    "<{}>",
    "x={},",
    "{}.",
]


def rules(text: str) -> list[str]:
    return [secret.rule for secret in scan(text)]


@pytest.mark.parametrize("rule", [*PLANTED, *LINES])
def test_a_planted_secret_is_found_by_its_rule(rule: str) -> None:
    for text in (PLANTED | LINES)[rule]:
        assert rules(f"# Notes\n\n- something\n{text}\nmore\n") == [rule], text


@pytest.mark.parametrize("rule", [*PLANTED, *LINES])
def test_a_line_of_jsonl_does_not_hide_it(rule: str) -> None:
    for text in (PLANTED | LINES)[rule]:
        inner = json.dumps({"text": f"first line\n{text}\nlast"})
        assert rules(inner) == [rule], text
        assert rules('{"v":1}\n' + json.dumps({"event": inner}) + "\n") == [rule], text


@pytest.mark.parametrize("rule", PLANTED)
def test_markdown_around_or_inside_a_token_does_not_hide_it(rule: str) -> None:
    for token in PLANTED[rule]:
        for around in AROUND:
            assert rules(around.format(token)) == [rule], around
            assert rules("é" + around.format(f" {token} ")) == [rule], around
        assert rules(token.replace("_", r"\_").replace("-", r"\-")) == [rule]
        assert rules(f"{token[:6]}`{token[6:]}`") == [rule]


def test_a_secret_in_utf_16_is_found() -> None:
    token = PLANTED["github-token"][0]
    assert rules(token.encode("utf-16").decode("utf-8", "replace")) == ["github-token"]


def test_where_it_is_and_what_it_is_called() -> None:
    token = PLANTED["github-token"][0]
    once, again = scan(f"a\nb {token}\r\n\n`{token}`")
    assert (once.line, again.line) == (2, 4)
    assert once.fingerprint == again.fingerprint == scan(f"token: '{token}'")[0].fingerprint
    assert len(once.fingerprint) == 12
    assert scan(PLANTED["github-token"][1])[0].fingerprint != once.fingerprint


@pytest.mark.parametrize("rule", [*PLANTED, *LINES])
def test_it_is_masked(rule: str) -> None:
    for text in (PLANTED | LINES)[rule]:
        hidden = mask(f"see {text}")
        assert f"[{rule}]" in hidden
        assert scan(hidden) == ()


@pytest.mark.parametrize("rule", PLANTED)
def test_it_is_never_shown(rule: str) -> None:
    for token in PLANTED[rule]:
        longest = max(re.split(r"[^A-Za-z0-9]+", token), key=len)
        assert longest not in mask(f"see {token}")
        assert longest not in repr(scan(token))


def test_nothing_of_a_key_is_shown() -> None:
    for block in LINES["private-key"]:
        lines = [line for line in re.split(r"[\n> ]+", block) if line.endswith("==") or len(line) == 64]
        assert len(lines) == 5
        assert not any(line in mask(block) for line in lines)
        assert "-----END" in mask(block)


NOTES = (Path(__file__).parent / "clean_notes.txt").read_text("utf-8").splitlines()
"""Ordinary notes about keys, tokens and passwords, in fourteen languages: words within words, paths, keys of
caches, globs and names of projects."""


def test_notes_about_secrets_hold_none_in_any_language() -> None:
    assert len([line for line in NOTES if line.startswith("## ")]) >= 12
    assert [line for line in NOTES if scan(line) or mask(line) != line] == []
    assert scan("\n".join(NOTES)) == ()


@pytest.mark.parametrize(
    "line",
    [
        "암호화 키는 {a24}",
        "비밀키: {a32}",
        "API 키 = {a32}",
        "서버 비밀번호는 Kestrel!{a4}x9",
        "アクセスキー：{a32}",
        "シークレットキーは {a32}",
        "パスワードは Kestrel!{a4}x9",
        "密码是 Kestrel!{a4}x9",
        "密码改为 Kestrel!{a4}x9",
        "令牌：{a32}",
        "пароль от базы: Kestrel!{a4}x9",
        "ключ доступа: {a32}",
        "dbpass = Kestrel!{a4}x9",
        "dbPass: Kestrel!{a4}x9",
        "smtp_pass: Kestrel!{a4}x9",
        "PASSWORD=conf/x:{a4}:Kestrel!9.k",
        "snmp-server community Kestrel!{a4}x9 ro",
    ],
)
def test_the_same_words_by_themselves_announce_one(line: str) -> None:
    assert scan(Maker().filled(line)), line


@pytest.mark.parametrize(
    "glued",
    [
        "log says \x1b[32m{}\x1b[0m ok",
        "log says \x1b[38;5;208m{}\x1b[m",
        "log says \\033[32m{}\\033[0m, \\e[1m too",
        "log says \\u001b[32m{}\\u001b[39m",
        "\x9b32m{}\x9b0m",
        "/cb?access_token%3D{}%26x=1",
        "/cb?next=%252Fcb%253Ftoken%253D{}%2526x",
        "t%22%3A%22{}%22",
        "body: t=3D{}",
        "{{\\u0022t\\u0022:\\u0022{}\\u0022}}",
        "a\\u003d{}\\u0026b",
        "a\\x3d{}\\x26",
        "set token`{}`here",
        "x\0{}\0y",
    ],
)
def test_a_token_is_found_whatever_it_is_glued_to(glued: str) -> None:
    for token in (
        "gh" + "p_" + _made(_ALNUM, 36),
        "AK" + "IA" + _made("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    ):
        text = glued.format(token)
        assert scan(text) != (), text
        assert token not in mask(text)
        assert {s.fingerprint for s in scan(text)} == {s.fingerprint for s in scan(token)}


def test_clean_lines_are_clean_alone_and_together() -> None:
    assert len(CLEAN) >= 200
    assert [line for line in CLEAN if scan(line) or mask(line) != line] == []
    assert scan("\n".join(CLEAN)) == ()
    assert scan("\n".join(f"- {line}" for line in CLEAN)) == ()
    assert scan("\n".join(json.dumps({"text": line}) for line in CLEAN)) == ()


@example(["GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"])
@example(["export GITHUB_TOKEN=$(gh auth token)", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"])
@example(["curl -H 'authorization: bearer 40fd425571bd2cbdff135cc4059ff58d'", "docker run -u 1000:1000 x"])
@given(st.lists(st.one_of(st.sampled_from(CLEAN), st.sampled_from([t for _, t in EVERYTHING])), max_size=8))
def test_each_secret_is_found_on_its_line_whatever_stands_around_it(lines: list[str]) -> None:
    text = "\n\n".join(lines)
    expected = set()
    for number, line in enumerate(lines):
        before = "\n\n".join([*lines[:number], ""]).count("\n")
        expected |= {Secret(s.rule, s.line + before, s.fingerprint) for s in scan(line)}
    assert set(scan(text)) == expected


@given(st.text())
def test_any_text_can_be_scanned(text: str) -> None:
    for secret in scan(text):
        assert 1 <= secret.line <= text.count("\n") + 1
    assert isinstance(mask(text), str)


def test_tokens_are_as_long_as_the_search_for_them_assumes() -> None:
    assert all(len(token) >= SHORTEST_TOKEN for _, token in TOKENS)
    assert all(rule.anchors for rule in RULES)
    assert all(not (rule.is_one_word and rule.ignores_case) for rule in RULES)
    assert all(anchor == anchor.lower() for rule in RULES if rule.ignores_case for anchor in rule.anchors)


HOSTILE = sorted(
    {anchor.decode() + tail for rule in RULES for anchor in rule.anchors[:1] for tail in ("", "=", "1a")}
    | {
        "eyJaaaaaaaa.",
        "eyJ" + "a" * 2000 + ".",
        "token for a a a a ",
        "password:\n",
        "\\n",
        "\\",
        "token='" + "a1-" * 90,
    }
    | {
        "-----BEGIN PRIVATE KEY-----" + "\nA: b" * 200,
        "-----BEGIN A A A A ",
        "AC" + "a" * 32 + " a" * 60,
        "://a:",
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("size", mostly_long([1 << 14, 1 << 16], keep=1))
def test_hostile_text_takes_time_in_proportion(size: int) -> None:
    """Sixteen times as much text takes no 64 times as long; with a quadratic pattern it would be 256."""
    for slow in sorted(HOSTILE, key=lambda pattern: _seconds(pattern, 1 << 11))[-3:]:
        assert _seconds(slow, size) < 64 * max(_seconds(slow, size >> 4), 0.0025), slow


@pytest.mark.slow
def test_a_long_note_is_scanned_in_no_time() -> None:
    text = "\n".join(CLEAN) * 20
    assert len(text) > 200 * 1024
    assert min(_seconds(text, len(text)) for _ in range(3)) < 5


def _seconds(pattern: str, size: int) -> float:
    text = (pattern * (size // len(pattern) + 1))[:size]
    start = time.process_time()
    scan(text)
    return time.process_time() - start


def test_a_short_text_is_searched_as_a_long_one_is(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = [secret for secrets in PLANTED.values() for secret in secrets]
    written = (Path(__file__).parent / "secret_lines.txt").read_text("utf-8").splitlines()
    lines = [line.encode() for line in (*planted, *written, *CLEAN)]
    monkeypatch.setattr(search, "_FEW_SEARCHES", len(lines))
    monkeypatch.setattr(search, "_searches", itertools.count())
    one_by_one = [spans(line) for line in lines]
    monkeypatch.setattr(search, "_SHORT", 0)
    assert one_by_one == [spans(line) for line in lines]
    assert sum(map(bool, one_by_one)) > len(planted)


def test_blank_lines_where_a_key_would_stand_are_no_key() -> None:
    assert scan("Private-Lines: 2\n" + "\n" * 40) == ()


def test_a_manifest_of_blank_lines_is_read_to_its_end() -> None:
    value = "".join(_dice.choices(_ALNUM, k=20)) + "7aZ"

    assert scan("kind: Secret\n" + "\n" * 4000) == ()
    assert scan(f"kind: Secret\nmetadata:\n\n  name: a\n\nstringData:\n  password: {value}\n")
