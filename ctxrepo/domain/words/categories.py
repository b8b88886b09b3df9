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
