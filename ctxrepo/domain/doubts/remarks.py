"""What is better not said of a fact that is to be remembered, or said otherwise: a remark, no refusal."""

import re
from collections.abc import Iterator

from ctxrepo.lazy import lazy_pattern

_PATH = r"`?[\w.@-]*[/.][\w./@-]*`?"
_PLACE = lazy_pattern(
    r"(?:the |our )?[\w' -]{1,40} (?:is|are|lives?|is located|are located|is defined|are defined|go|goes) "
    rf"(?:in|at|under|inside) (?:the )?{_PATH}(?: (?:folder|directory|file))?\W*|"
    rf"(?:the )?{_PATH}(?: (?:folder|directory|file))? (?:contains|holds|has|is for|is) "
    r"(?:the |all |our )?[\w' -]{1,40}\W*",
    re.I,
)
_USES = lazy_pattern(
    r"(?:(?:the|this|our) )?(?:project|repo|repository|codebase|app|application|backend|frontend|we) "
    r"(?:uses?|is written in|is built (?:with|on)|runs on) [\w .+#/-]{1,40}\W*",
    re.I,
)
_COMMAND = lazy_pattern(r"(?:run |use )?`[^`]{1,100}`(?: (?:to|runs|starts|builds) [\w ]{1,30})?\W*", re.I)
_DONE = lazy_pattern(
    r"(?:today,? |just |i |we |i've |we've |i have |we have |now )*"
    r"(?:fixed|added|implemented|refactored|updated|created|removed|merged|completed|finished|bumped|"
    r"renamed|migrated|deployed|released|moved|wrote|changed) \S",
    re.I,
)
_ORDER = lazy_pattern(
    r"(?:please |always |never |remember to |make sure |ensure |do not |don't |avoid |be sure |use |run |"
    r"call |add |check |prefer |keep |put |write |set |immer |niemals |toujours |jamais |siempre |nunca )",
    re.I,
)
_OF_RULES = ("rule", "pref", "habit", "conv", "style", "command", "workflow", "how", "todo", "task")
"""How categories begin in which orders are meant."""


def remarks(text: str, category: str) -> Iterator[str]:
    """A line about a fact that only says what the code or the history says, or one about an order."""
    line = " ".join(text.split())
    if _PLACE.fullmatch(line) or _USES.fullmatch(line) or _COMMAND.fullmatch(line):
        yield "the code says this itself; worth remembering is what it doesn't say, such as why"
    elif _DONE.match(line):
        yield "this says what was done, as the history does; worth remembering is what holds from now on"
    elif _ORDER.match(line) and " because " not in line and not category.lower().startswith(_OF_RULES):
        yield "sessions will read this as an order; as a fact it says what is so, and why"
