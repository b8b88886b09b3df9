"""Telling secrets from placeholders, examples and words, by their letters."""

from itertools import pairwise

from ctxrepo.lazy import lazy_pattern

_RUN = lazy_pattern(rb"[A-Z]?[a-z]+|[A-Z]+")
_ROWS = """
    aq bbcdfghkmnpqtvwxz cbdfgmnpqvwx dbcfghjkmqtvwx fbcdghjkmnpqvwxyz gbcdfjkmpqtvwxyz hbcfghlmnpqsvwxyz iqy
    jbcdfghjklmnpqrtvwxyz kbcdfgjmpqvwxz lbcfhjqrwxz mcdfghjklqrtvwxyz nbqrwxz oqxy pbcdfgjkmnqvwxz
    qabcdefghijklmnopqrstvwxyz rqx sbdgqwx tbdfgjqvxz uhqwxyz vbcdfghjklmnpqrstvwxyz wbcdfghjklmpqtuvwxz
    xbdfghjklmnqrsvwxyz ybfgoquvxz zbcdfghjklmpqrstvxz
"""
_RARE = {row[0]: frozenset(row[1:].encode()) for row in _ROWS.split()}
"""A letter, and letters that hardly ever follow it: fewer than 3 in 10,000 pairs, half of a random one's. """


def is_gibberish(value: bytes) -> bool:
    """Whether at least a fifth of the pairs of letters, and two or more, occur in hardly any word."""
    pairs = rare = 0
    for run in _RUN.findall(value):
        run = run.lower().decode()
        pairs += len(run) - 1
        rare += sum(ord(b) in _RARE.get(a, b"") for a, b in pairwise(run))
    return rare >= 2 and rare * 5 >= pairs


# What ignores case is asked of lower case, which is much faster than a pattern that ignores it.
TOKEN_FILLER = lazy_pattern(
    rb"x{5}|\*{3}|\.{3}|0{8}|(.)\1{15}|your|placeholder|redacted|replace|insert|example|changeme|dummy|sample"
)
_FILLER = lazy_pattern(
    rb"x{4}|\*{3}|\.{3}|0{8}|(.)\1{15}|example|change[-_]?(?:me|it)|placeholder|dummy|fake|sample|your"
    rb"|redacted|insert"
    rb"|replace|foobar|todo|mock|not[-_]?real|[-_]here\b|(?<![a-z])tests?(?![a-z])"
    rb"|\[[^\]\s]{2,20}\]\{[0-9]"  # a regular expression
)

_REFERENCE = lazy_pattern(
    rb"\$[a-z_{($]|\$[0-9][a-z]?\$|%\w+%|[{<\[]|process\.env|os\.|env[.:(\[]|getenv|import\.meta"
    rb"|secrets?[.:/]"
    rb"|vault[:./]|!(?:vault|ref|sub|env|secret)|op://|arn:|urn:|file:|data:|[a-z][a-z0-9+]{1,9}://|ssm:"
    rb"|ref\+"
    rb"|projects/|sha[0-9]{1,3}[-:]|md5[-:]|(?:~|\.{1,2})?/[\w.-]+/|[0-9]{4}-[0-9]{2}-[0-9]{2}"
    rb"|(?:self|this|args?|opts?|options|config|cfg|conf|ctx|req|request|params?|props|data|user)[.\[]"
    rb"|enc:|enc\["
)
# lower, Upper, camelCase or SHOUTED with a few digits after it; a number; 1password, 2nd.
_WORD = lazy_pattern(
    rb"(?:(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+)?[0-9]{0,4}|[0-9]{1,10}"
    rb"|[0-9]{1,3}[A-Za-z][a-z]{0,11}[0-9]{0,4})\Z"
)
_BETWEEN_WORDS = lazy_pattern(rb"[-_./:@=+&?#,]+")
# Onyx.Jasper.7729 and otter-Kestrel-41: no file and no version is named so.
_NAMES_AND_NUMBER = lazy_pattern(
    rb"(?=[^A-Z]*[A-Z][a-z])[A-Za-z][a-z]{2,12}[-_. ]?[A-Za-z][a-z]{2,12}"
    rb"(?:[-_.][A-Za-z][a-z]{2,12}){0,3}[-_.][0-9]{2,4}[!*?#$%]?\Z"
)
# Otter_Cobalt965, kestrel.26.WillowX, saffron62.Lantern: words with a capital, and a number no cipher has.
_WORDS_WITH_NUMBER = lazy_pattern(
    rb"(?=[^A-Z]*[A-Z])(?=.*[a-z]{3})(?=[^0-9]*(?!(?:16|32|64|128|192|256|384|512|1024|2048|4096)"
    rb"(?![0-9]))[0-9]{2,4}[^0-9]*\Z)"
    rb"[A-Za-z][a-z]{2,12}(?:[-_.]?(?:[A-Z]?[a-z]{2,12}[A-Z]?|[0-9]{2,4})){1,4}[!*?#$%]?\Z"
)
_A_WORD = lazy_pattern(rb"[A-Z]?[a-z]{2,}")
_MARKS = b"!#$%^&*?@~=+"
_SIGN = lazy_pattern(rb"[@#&+=?!]")
FULL_WIDTH = lazy_pattern(rb"[\xe1-\xef][\x80-\xbf]")
ORDER = lazy_pattern(rb"(?:0?12345|23456|98765|87654|0{4}|1{4}|1234\Z|4321|123\Z|321\Z)")
WEAK = lazy_pattern(
    rb"(?:my|the|some|new|old|user|admin|root|db|super|app|test|top)?[-_]?"
    rb"(?:p[a@]ss(?:w[o0]rd|wd|phrase)?|pwd|pw|secret|token|key|hunter|admin|root|user|foo|bar|abc|letmein"
    rb"|qwerty)"
    rb"[-_]?[0-9]{0,6}!?\Z"
)


def is_strong(value: bytes) -> bool:
    """Whether it is a mixture of six or more characters that people choose and no manual would print."""
    value = value.lstrip(b":@")
    if len(value) < 6 or stands_for_one(value) or WEAK.match(value.lower()) or FULL_WIDTH.search(value):
        return False
    if value.isdigit():
        return len(value) >= 8 and not ORDER.match(value)
    if (
        is_keychains(value)
        or _NAMES_AND_NUMBER.match(value)
        or is_words_with_number(value)
        or (len(value) >= 12 and has_both(value) and is_gibberish(value))
    ):
        return True
    words = 0 if _SIGN.search(value) else words_of(value)
    if words:
        return words == 1 and len(value) >= 8 and sum(map(_is_digit, value)) >= 2
    return is_mixture(value)


def is_words_with_number(value: bytes) -> bool:
    """Whether it is two or more words and a number, as people choose them."""
    return len(value) >= 10 and bool(_WORDS_WITH_NUMBER.match(value)) and len(_A_WORD.findall(value)) > 1


def is_keychains(value: bytes) -> bool:
    """Whether it is what a keychain proposes: three groups of six letters, with one digit and one capital."""
    return (
        bool(_KEYCHAIN.match(value))
        and sum(map(_is_digit, value)) == 1
        and sum(c in b"ABCDEFGHIJKLMNOPQRSTUVWXYZ" for c in value) <= 1
    )


_KEYCHAIN = lazy_pattern(rb"(?:[A-Za-z0-9]{6}-){2}[A-Za-z0-9]{6}\Z")


def is_mixture(value: bytes) -> bool:
    """Whether it has three of small letters, capitals, digits and signs; or two, with 3 digits or signs."""
    digits = sum(map(_is_digit, value))
    signs = sum(c in _MARKS for c in value)
    letters = (value.upper() != value) + (value.lower() != value)
    kinds = letters + bool(digits) + bool(signs)
    return kinds >= 3 or (letters > 0 and digits + signs >= 3) or (not value.isascii() and digits > 1)


def _is_digit(byte: int) -> bool:
    return 48 <= byte <= 57


def may_be_secret(value: bytes) -> bool:
    return len(value) >= 8 and has_both(value) and not stands_for_one(value)


def stands_for_one(value: bytes) -> bool:
    """Whether it is a placeholder, or says where a secret is kept."""
    lowered = value.lower()
    return bool(_REFERENCE.match(lowered) or _FILLER.search(lowered))


def has_both(value: bytes) -> bool:
    """Whether it has letters and digits (bytes beyond ASCII count as letters)."""
    others = value.translate(None, b"0123456789")
    return len(others) < len(value) and (others.lower() != others.upper() or not others.isascii())


def words_of(value: bytes) -> int:
    """The number of words in an identifier, a path or a file name; 0 for any other text."""
    words = [word for word in _BETWEEN_WORDS.split(value) if word]
    return len(words) if all(_WORD.match(word) for word in words) else 0
