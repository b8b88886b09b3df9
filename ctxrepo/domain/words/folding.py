"""One folding for what is indexed and what is asked for: what a reader takes for the same word is equal.

Full-width and composed forms, marks and points, spellings of one letter, and what can't be seen make no
difference; nor do the digits of other scripts. Vowels that a script writes as marks are letters and stay.
Hooks load it for a prompt that isn't ASCII.
"""

from unicodedata import category, combining, decimal, normalize

from ctxrepo.domain.text import UNSEEN

_LETTERS = {
    "ß": "ss", "ς": "σ", "ı": "i", "ø": "o", "ł": "l", "đ": "d", "ħ": "h", "æ": "ae", "œ": "oe", "ð": "d",
    "þ": "th", "ٱ": "ا", "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ھ": "ه", "ـ": "", "’": "'",
}  # fmt: skip
"""Letters that are written in more than one way and that Unicode doesn't take apart."""

_VOWELS = frozenset((0, 8, 9, 84, 91, 103, 118, 129, 130, 132))
"""Classes of marks that are letters, as of Indic and Thai vowels, or make another one, as in the kana バ."""


class _Folds(dict[int, str]):
    """What becomes of a character by its number, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _folded(chr(code))
        return folded


_FOLDS = _Folds()


def unified(text: str) -> str:
    """`text` without what readers don't tell apart, but for capital letters."""
    return normalize("NFKC", text).translate(_FOLDS)


def _folded(char: str) -> str:
    if (letter := _LETTERS.get(char.lower())) is not None:
        return letter.upper() if char.isupper() else letter
    if char in UNSEEN or category(char) in ("Cf", "Me"):
        return ""
    if (digit := decimal(char, -1)) >= 0:
        return str(digit)
    parts = [part for part in normalize("NFD", char) if combining(part) in _VOWELS]
    return normalize("NFC", "".join([_LETTERS.get(part, part) for part in parts]))
