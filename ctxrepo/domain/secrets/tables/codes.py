"""What opens something and is no password: PINs, codes on paper, cards, the words of a wallet."""

from __future__ import annotations

from dataclasses import replace

from ctxrepo.domain.secrets.rule import Rule, text
from ctxrepo.domain.secrets.shape import content

_CARD = (
    "card|carte|tarjeta|karte|kreditkarte|kartennummer|carta|cart\u00e3o|cartao|visa|mastercard|amex|kaart|karta|karty|kart"
    "|kort|ccnum|cc|\u043a\u0430\u0440\u0442|\u30ab\u30fc\u30c9|\u5361|\uce74\ub4dc"
)
_SEED = (
    "seed|seeds|mnemonic|mnemonics|recovery|backup|secret|wallet|bip39|bip|wiederherstellung|phrase|frase|parole|wallets|metamask|ledger"
    "|trezor|phantom|w\u00f6rter|mots|palabras|s\u0142\u00f3w|s\u0142owa|\u0444\u0440\u0430\u0437|\u0441\u043b\u043e\u0432|\u52a9\u8bb0\u8bcd|\u52a9\u8a18\u8a5e|\u30cb\u30fc\u30e2\u30cb\u30c3\u30af"
    "|wiederherstellungsphrase|wiederherstellungsw\u00f6rter|seedphrase|woorden|herstelzin|keystore|solflare|electrum|coldcard"
)
_RECOVERY = (
    "backup|back-up|back|recovery|rescue|scratch|emergency|wiederherstell|r\u00e9cup|secours|recuper|zapasow|odzysk|\u0432\u043e\u0441\u0441\u0442\u0430\u043d\u043e\u0432|\u0440\u0435\u0437\u0435\u0440\u0432"
    "|\u30ea\u30ab\u30d0\u30ea\u30fc|\u30d0\u30c3\u30af\u30a2\u30c3\u30d7|\u5907\u7528|\u6062\u590d|\u5099\u7528|\u6062\u5fa9|\u56de\u5fa9|\ubcf5\uad6c|\ubc31\uc5c5|kurtarma|yedek|obnov|herstel|\u00e5terst\u00e4ll|gjenoppret|gendan|palautus"
)
_CODE = "code|codice|codici|c\u00f3digo|codigo|kod|k\u00f3d|\u043a\u043e\u0434|\u30b3\u30fc\u30c9|\u7801|\u78bc|\ucf54\ub4dc|koodi"


def _either(words: str) -> bytes:
    return b"(?:" + words.encode() + b")"


def _anchors(words: str) -> tuple[str, ...]:
    return tuple(words.split("|"))


_WHOLE = frozenset(
    b"seed seeds mnemonic mnemonics recovery backup secret wallet bip39 bip phrase parole wallets mots ledger card"
    b" carte carta karte visa amex kart kort karta karty cc back rescue scratch emergency yedek".split()
)

_WORDS = (
    rb"((?:(?:[0-9]{1,2}[.):]?[ \t]{1,3})?[a-z\x80-\xff]{3,12}(?:[ \t]{0,3}[,|-]?[ \t]{1,3}|[ \t]{0,4}[,|]?[\r\n]{1,2}[ \t>|*-]{0,4})){11,24}"
    rb"(?:[0-9]{1,2}[.):]?[ \t]{1,3})?[a-z\x80-\xff]{3,12})(?![\w-])"
)

_SAID = rb"[^\r\n:=]{0,40}?(?:[:=\r\n|(]|\xef\xbc\x9a|(?=[ ][0-9])|[ ](?:is|was|are|lautet|lauten|sind|ist|est|sont|es|son|to|je|are|sono|:)(?=[ ]))[^A-Za-z0-9]{0,12}"
_GROUPS = rb"((?:(?:[0-9]{1,2}[.)][ ])?[A-Za-z0-9]{4,10}(?:[- ][A-Za-z0-9]{4,10}){0,3}(?:[^A-Za-z0-9(]{1,6}|\Z)){1,20})"
_ROWS: tuple[Rule, ...] = (
    text(
        "seed-phrase",
        "wallets (BIP 39 and others)",
        _anchors(_SEED),
        rb"(?i:"
        + _either(_SEED)
        + rb")[^\r\n:=|]{0,60}?(?:[:=|*\"'\r\n>\xe2\x80\x94\xef\xbc\x9a-]|[ ](?=[a-z]{3,8}[ ,]))[:=|*\"' \t\r\n>\xe2\x80\x94\xef\xbc\x9a-]{0,12}"
        + _WORDS,
        content.is_phrase,
        "seed phrase: lunar brisk oval tiger mango quilt zebra pond ripple flint cargo lemon",
        "the seed phrase: write it down on paper and keep that in a safe place of the house",
    ),
    text(
        "seed-phrase",
        "wallets, with the label behind",
        _anchors(_SEED),
        rb"(?:\A|(?<=[\r\n]))[^a-z\r\n]{0,6}"
        + _WORDS
        + rb"[^\w]{1,8}(?:[a-z]{1,9}[ ]){0,4}(?i:"
        + _either(_SEED)
        + rb")",
        content.is_phrase,
        "lunar brisk oval tiger mango quilt zebra pond ripple flint cargo lemon\nseed of the wallet",
        "we met at noon and spoke about the house for a while: wallet",
        back=260,
    ),
    text(
        "card-number",
        "any",
        _anchors(_CARD),
        _either(_CARD) + rb"[^\r\n0-9]{0,40}([0-9](?:[ -]?[0-9]){12,18})(?![0-9])",
        content.is_card,
        "card number: {card}",
        "card number: 4111 1111 1111 1111",
        ignores_case=True,
    ),
    text(
        "recovery-code",
        "any",
        _anchors(_RECOVERY),
        _either(_RECOVERY) + rb"[^\r\n:=]{0,40}?" + _either(_CODE) + _SAID + _GROUPS,
        content.is_codes,
        "backup codes: {h8} {h8} {h8}",
        "recovery code: ask Ada",
        ignores_case=True,
    ),
    text(
        "recovery-code",
        "languages that name the code first",
        _anchors(_CODE),
        _either(_CODE)
        + rb"\S{0,8}[ ](?:(?:de|di|do|da|d'|af|til|f\xc3\xb6r)[ ]?)?"
        + _either(_RECOVERY)
        + _SAID
        + _GROUPS,
        content.is_codes,
        "codici di backup: {h8} {h8} {h8}",
        "codice di backup: chiedi ad Ada",
        ignores_case=True,
    ),
    text(
        "recovery-key",
        "BitLocker",
        (*_anchors(_RECOVERY), "bitlocker", "key", "schl\u00fcssel", "manage-bde", "-recoverypassword"),
        rb"[^\r\n0-9]{1,90}[\r\n]{0,2}[^\r\n0-9]{0,20}((?:[0-9]{6}-){7}[0-9]{6})(?![0-9])",
        content.is_codes,
        "BitLocker recovery key: {d6}-{d6}-{d6}-{d6}-{d6}-{d6}-{d6}-{d6}",
        "BitLocker recovery key: ask Ada",
        ignores_case=True,
    ),
    text(
        "wallet",
        "Solana: a key of 64 bytes, whatever stands before it",
        ("[",),
        rb"\[\s{0,6}((?:[0-9]{1,3}[ ]{0,2},\s{0,6}){63}[0-9]{1,3})\s{0,6}\]",
        content.is_bytes,
        "[{bytes64}]",
        "[1, 2, 3]",
    ),
    text(
        "secret",
        "tokens of letters, digits and brackets",
        ("token", "password", "secret", "passwd", "pwd"),
        rb"(?:token|password|secret|passwd|pwd)[\"'`*]{0,3}[ ]{0,3}(?:[:=|]|is[ ]|,?\s{1,12}value:)[ ]{0,3}([\"'`]?)([^\s\"'`]{12,64})(?:\1|(?=[\s]|\Z))",
        content.is_noise,
        "auth token = aZ3:1[L3(gq{a9}",
        "token = settings.get(Names[1])",
        ignores_case=True,
    ),
    text(
        "pairing-code",
        "HomeKit, Matter",
        ("homekit", "matter", "setup code", "pairing code", "appair"),
        rb"(?:homekit|matter|setup[ ]code|pairing[ ]code|appair)[^\r\n0-9]{0,60}([0-9]{3}-[0-9]{2}-[0-9]{3}|[0-9]{4}-[0-9]{3}-[0-9]{4})(?![0-9-])",
        content.is_pin,
        "HomeKit setup code {d3}-{d2}-{d3}",
        "HomeKit setup code: ask Ada",
        ignores_case=True,
    ),
)

CODES = tuple(replace(rule, inner=frozenset(rule.anchors) - _WHOLE) for rule in _ROWS)
"""Languages have endings: all words but the short ones of English may be part of longer ones."""
