"""The categories that scores and reports know, in the spellings that people and programs use."""

SPELLINGS = {
    "preference": ("preference", "preferences", "pref", "prefs", "rule", "rules"),
    "lesson": ("lesson", "lessons", "gotcha", "gotchas"),
    "mistake": ("mistake", "mistakes", "veto", "vetoes"),
    "pattern": ("pattern", "patterns"),
    "decision": ("decision", "decisions"),
    "done": ("done", "completion", "completions"),
}
"""Category -> how it is written in lower case, its own name first."""

TOPIC_FILES = {"done": "completions"}
"""Category -> the name of its note where that isn't the category or its plural."""

_CATEGORIES = {word: category for category, words in SPELLINGS.items() for word in words}


def category_of(word: str) -> str:
    """The category that `word` (in lower case) is a spelling of; '' for a word that is none."""
    return _CATEGORIES.get(word, "")


def bullet_parts(text: str) -> tuple[str, str]:
    """(category in lower case, '' without one; the words after it) of an entry that is a bullet."""
    marker, _, rest = text.partition(" ")
    words = rest.lstrip() if marker in ("-", "*", "+") else text
    word, bracket, body = words.partition("] ")
    has_category = bracket and word[:1] == "[" and word[1:2].isalpha() and " " not in word
    return (word[1:].lower(), body.lstrip()) if has_category else ("", words)


_IN_KEYS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.-")
_LONGEST_KEY = 40


def key_in(text: str) -> str:
    """The key of an entry whose words are `key: value`, in lower case; '' for any other."""
    key, colon, _ = bullet_parts(text)[1].partition(": ")
    is_key = colon and key[:1].isalpha() and len(key) <= _LONGEST_KEY and _IN_KEYS.issuperset(key.lower())
    return key.lower() if is_key else ""


_CORRECTS = ("don't", "do not", "never", "avoid", "not ", "instead of", "rather than", "stop ")


def corrects(text: str) -> bool:
    """Whether a lesson corrects something; any other one confirms an approach."""
    return any(word in text.lower() for word in _CORRECTS)
