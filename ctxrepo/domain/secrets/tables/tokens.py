"""Secrets that are known by their own form: tokens, codes, and addresses that let in whoever has them."""

from __future__ import annotations

from dataclasses import replace

from ctxrepo.domain.secrets.rule import END, Rule, text, token
from ctxrepo.domain.secrets.shape import judges, shape

TOKENS: tuple[Rule, ...] = (
    token(
        "azure-key",
        "Azure",
        "AccountKey= SharedAccessKey= SharedSecretKey= AccessKey= Secret=",
        r"(?:AccountKey|AccessKey|SecretKey|Secret)=([A-Za-z0-9+/]{40,100}={0,2})",
        "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={b86}==",
        "AccountKey=<key>;EndpointSuffix=core.windows.net",
    ),
    token(
        "azure-client-secret",
        "Azure Entra (shape of gitleaks, MIT)",
        "Q~",
        r"(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}(?![A-Za-z0-9_.~-])",
        "abc8Q~{u34}",
        "abc8Q~short",
        back=4,
    ),
    token(
        "azure-key",
        "Azure",
        "AzFu AzSe AzCa ACDb APIM AIoT AEgH ACs7 ACRT +ASt AMAD",
        r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,90}(?:AzFu|AzSe|AzCa|ACDb|APIM|AIoT|AEgH|ACs7|ACRT|\+ASt|AMAD)[A-Za-z0-9+/_-]{4,30}={0,2}(?![A-Za-z0-9+/_-])",
        "{a44}AzFu{a4}==",
        "AzFunctions AzSearch",
        back=90,
    ),
    token(
        "telegram-token",
        "Telegram",
        ":AA",
        r"(?<=[0-9]{8}):AA[A-Za-z0-9_-]{32,34}(?![A-Za-z0-9_-])",
        "123456789:AA{u33}",
        "12345678:AA",
    ),
    token(
        "firebase-key",
        "Firebase Cloud Messaging",
        ":APA91b",
        r"(?<=[A-Za-z0-9_-]{7}):APA91b[A-Za-z0-9_-]{100,200}",
        "AAAA{u7}:APA91b{u134}",
        "AAAA:APA91b",
    ),
    token(
        "discord-token",
        "Discord",
        "MT MD Mj Mz ND NT Nj Nz OD OT",
        r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])",
        "MT{a22}.{a6}.{a38}",
        "Module.inner.attribute_of_some_length_here",
        shape.is_mixed_case,
    ),
    token(
        "terraform-token",
        "HCP Terraform",
        ".atlasv1.",
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}",
        "{a14}.atlasv1.{a64}",
        "x.atlasv1.y",
        back=14,
    ),
    token(
        "mailchimp-key",
        "Mailchimp",
        "-us",
        r"(?<![0-9a-f])[0-9a-f]{32}-us[0-9]{1,2}" + END,
        "{h32}-us14",
        "see-us-14",
        back=32,
    ),
    token(
        "maxmind-key",
        "MaxMind (shape of gitleaks, MIT)",
        "_mmk",
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk" + END,
        "{a6}_{a29}_mmk",
        "x_mmk",
        back=36,
    ),
    # The id of an account alone is public; with what follows it, it is a login.
    token(
        "twilio-auth-token",
        "Twilio",
        "AC",
        r"(?<![A-Za-z0-9])AC[0-9a-f]{32}(?![A-Za-z0-9])[\s\S]{1,120}?(?<![A-Za-z0-9])([0-9a-f]{32})(?![A-Za-z0-9])",
        "AC{h32} / {h32}",
        "AC{h32}",
    ),
    token(
        "aws-secret-key",
        "AWS",
        "AKIA ASIA",
        r"(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}(?![A-Za-z0-9])(?:(?!api-key)[\s\S]){1,60}?(?<![A-Za-z0-9/+])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        "AKIA{A16} / {b40}",
        "AKIAIOSFODNN7EXAMPLE and then wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        shape.is_mixed_case,
    ),
    # No vendor is known, but the token says itself what it is: acme_sk_…, foo_pat_….
    token(
        "labelled-token",
        "any: a token with sk, pat, key, secret, token, live or prod in its beginning",
        "sk_ sk- pat_ pat- key_ key- secret_ secret- token_ token- tok_ _live_ _prod_ -live- -prod- live_ prod_ api_ api- apikey_ rk_ prv_ priv_ sec_ _at_ _rt_ auth_",
        r"(?<![A-Z])(?<!pk[_-])(?<!pub[_-])(?:(?:sk|pat|key|secret|token|tok|live|prod|apikey|api|rk|prv|priv|sec|auth)[_-]|(?<!pk)[_-](?:live|prod|at|rt)[_-])"
        r"(?:[a-z0-9]{1,8}[_-]){0,2}([A-Za-z0-9]{20,255})(?![A-Za-z0-9_-])",
        "acme_sk_{a32}",
        "api_gateway_request_handler_for_retries",
        shape.is_mixed_case,
    ),
    token(
        "cookie",
        "sessions of web applications",
        "_session=",
        r"_session=([A-Za-z0-9%_.-]{24,400})",
        "_gitlab_session={h32}",
        "my_session=open_the_next_page_of_it",
        shape.is_random,
    ),
)


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
        judges.is_phrase,
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
        judges.is_phrase,
        "lunar brisk oval tiger mango quilt zebra pond ripple flint cargo lemon\nseed of the wallet",
        "we met at noon and spoke about the house for a while: wallet",
        back=260,
    ),
    text(
        "card-number",
        "any",
        _anchors(_CARD),
        _either(_CARD) + rb"[^\r\n0-9]{0,40}([0-9](?:[ -]?[0-9]){12,18})(?![0-9])",
        judges.is_card,
        "card number: {card}",
        "card number: 4111 1111 1111 1111",
        ignores_case=True,
    ),
    text(
        "recovery-code",
        "any",
        _anchors(_RECOVERY),
        _either(_RECOVERY) + rb"[^\r\n:=]{0,40}?" + _either(_CODE) + _SAID + _GROUPS,
        judges.is_codes,
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
        judges.is_codes,
        "codici di backup: {h8} {h8} {h8}",
        "codice di backup: chiedi ad Ada",
        ignores_case=True,
    ),
    text(
        "recovery-key",
        "BitLocker",
        (*_anchors(_RECOVERY), "bitlocker", "key", "schl\u00fcssel", "manage-bde", "-recoverypassword"),
        rb"[^\r\n0-9]{1,90}[\r\n]{0,2}[^\r\n0-9]{0,20}((?:[0-9]{6}-){7}[0-9]{6})(?![0-9])",
        judges.is_codes,
        "BitLocker recovery key: {d6}-{d6}-{d6}-{d6}-{d6}-{d6}-{d6}-{d6}",
        "BitLocker recovery key: ask Ada",
        ignores_case=True,
    ),
    text(
        "wallet",
        "Solana: a key of 64 bytes, whatever stands before it",
        ("[",),
        rb"\[\s{0,6}((?:[0-9]{1,3}[ ]{0,2},\s{0,6}){63}[0-9]{1,3})\s{0,6}\]",
        judges.is_bytes,
        "[{bytes64}]",
        "[1, 2, 3]",
    ),
    text(
        "secret",
        "tokens of letters, digits and brackets",
        ("token", "password", "secret", "passwd", "pwd"),
        rb"(?:token|password|secret|passwd|pwd)[\"'`*]{0,3}[ ]{0,3}(?:[:=|]|is[ ]|,?\s{1,12}value:)[ ]{0,3}([\"'`]?)([^\s\"'`]{12,64})(?:\1|(?=[\s]|\Z))",
        judges.is_noise,
        "auth token = aZ3:1[L3(gq{a9}",
        "token = settings.get(Names[1])",
        ignores_case=True,
    ),
    text(
        "pairing-code",
        "HomeKit, Matter",
        ("homekit", "matter", "setup code", "pairing code", "appair"),
        rb"(?:homekit|matter|setup[ ]code|pairing[ ]code|appair)[^\r\n0-9]{0,60}([0-9]{3}-[0-9]{2}-[0-9]{3}|[0-9]{4}-[0-9]{3}-[0-9]{4})(?![0-9-])",
        judges.is_pin,
        "HomeKit setup code {d3}-{d2}-{d3}",
        "HomeKit setup code: ask Ada",
        ignores_case=True,
    ),
)

CODES = tuple(replace(rule, inner=frozenset(rule.anchors) - _WHOLE) for rule in _ROWS)
"""Languages have endings: all words but the short ones of English may be part of longer ones."""


_PART = r"([A-Za-z0-9_-]{8,200}(?:\.[A-Za-z0-9_-]{8,200}){0,2})(?![\w.])"

HOOKS: tuple[Rule, ...] = (
    token(
        "webhook-url",
        "hooks, pings and invitations: the path ends with the secret",
        "hook/ hooks/ deploy/ ping/ heartbeat/ check_in/ check-in/ invite/ inputs/ integration/ integrations/ alert/ Webhook/ join/ magic/",
        r"(?:hooks?|deploy|ping|heartbeat|check[_-]in|invite|inputs|integrations?|alert|Webhook|join|magic)/(?:[\w.-]{1,40}/){0,3}?"
        + _PART,
        "https://api.vercel.com/v1/integrations/deploy/prj_{a24}/{a10}",
        "https://docs.acme.io/integrations/generic-alert/settings-page",
        judges.is_address_part,
    ),
    token(
        "webhook-url",
        "monitors whose host takes the secret at once",
        "hc-ping.com/ nosnch.in/ cronitor.link/ ntfy.sh/ webhook.site/ in.logs. hook.",
        r"(?:hc-ping\.com|nosnch\.in|cronitor\.link|ntfy\.sh|webhook\.site|in\.logs\.[\w.-]{1,40}|hook\.[\w.-]{1,40})/(?:p/)?"
        + _PART,
        "https://hc-ping.com/{uuid}",
        "https://hc-ping.com/documentation",
        judges.is_address_part,
    ),
    token(
        "webhook-url",
        "what follows the question mark",
        "?key= &key= ?k= ?code= &code= ?token= &token= ?p= ?t= signature= ?sig= jwt= resourcekey= ?secret= ?auth= ?hash= ?invite=",
        r"(?:[?&](?:key|k|code|token|p|t|secret|auth|hash|invite)|[?]sig|signature|jwt|resourcekey)=" + _PART,
        "https://chat.acme.io/send?key={uuid}",
        "https://acme.io/list?key=display-name-of-user",
        judges.is_address_part,
    ),
    token(
        "api-key",
        "Philips Hue and others",
        "/api/",
        r"/api/([A-Za-z0-9-]{32,40})/(?=[a-z])",
        "http://10.0.0.9/api/{a40}/lights",
        "http://10.0.0.9/api/internal-settings-of-all-the-lamps/lights",
        shape.is_mixed_case,
    ),
    token(
        "url-password",
        "two numbers in hexadecimal",
        "://",
        r"://([0-9a-f]{8}:[0-9a-f]{8}|[0-9a-f]{32}:[0-9a-f]{32})@[\w-]",
        "https://{h32}:{h32}@sentry.acme.io/2",
        "https://user:password@acme.io/",
        shape.is_any_hash,
    ),
    token(
        "bundler-login",
        "Contributed Systems (shape of gitleaks, MIT)",
        "CONTRIBSYS__COM",
        r"CONTRIBSYS__COM[\"']?[=: ]{1,4}[\"']?([a-z0-9]{8}:[a-z0-9]{8})",
        "BUNDLE_ENTERPRISE__CONTRIBSYS__COM={h8}:{h8}",
        "BUNDLE_ENTERPRISE__CONTRIBSYS__COM=$LOGIN",
        shape.is_any_hash,
    ),
    token(
        "facebook-token",
        "Facebook (shape of gitleaks, MIT)",
        "|",
        r"(?<![0-9])[0-9]{15,16}(?:\||%)[A-Za-z0-9_-]{27,40}(?![\w-])",
        "{d16}|{a27}",
        "1234567890 | twelve",
        shape.is_mixed_case,
        back=16,
    ),
)
"""A rule of the shape `host/word` is tried only in words of sixteen characters or more."""
