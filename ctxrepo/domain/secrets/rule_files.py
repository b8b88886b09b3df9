"""A rule: how one kind of secret is found; and the files `rules/*.rules`, which hold one in each block.

CONTRIBUTING.md says how to add one, and ADR 69 why they are data and not Python."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from ctxrepo.domain.formats.blocks import FieldBlock, MalformedTable, blocks_beside
from ctxrepo.domain.secrets.shape import judges, shape
from ctxrepo.domain.secrets.words import PATTERNS, WORDS, spellings_of
from ctxrepo.lazy import dataclass, lazy_pattern

SHORTEST_TOKEN = 16
"""In bytes; a rule for one word matches nothing shorter."""


Judge = Callable[[re.Match[bytes]], bool]
Decode = Callable[[re.Match[bytes]], bytes]


@dataclass(frozen=True)
class Rule:
    """`regex` is tried where one of `anchors` stands.

    With `is_one_word` the anchor is part of a run of SHORTEST_TOKEN or more characters without white space,
    which few words of a note are, and its case counts; with `begins_word` the run begins there. The anchors
    of other rules are in lower case and begin with a whole word or sign, but those in `inner` may be part
    of a word. The word of a label may head a column.

    The last group that took part, else the whole match, is the secret if `is_real` agrees. Every repetition
    is bounded and can be read in one way only: the text may be hostile.

    `needs` is a word that the text must have somewhere. A secret that begins before its anchor does so within
    `back` bytes. With `decode` what matched stands for another text, and is a secret if one is
    in that; `is_real` isn't asked.

    `whose` and `source` are for the page that lists the rules. `example` is a text in which `{a20}` stands
    for 20 letters and digits made up at run time (see tests/made.py), `clean` one that is none."""

    name: str
    whose: str
    anchors: tuple[bytes, ...]
    regex: str | bytes
    is_real: Judge
    ignores_case: bool = False
    is_one_word: bool = False
    begins_word: bool = False
    is_label: bool = False
    inner: frozenset[bytes] = frozenset()
    needs: bytes = b""
    back: int = 0
    decode: Decode | None = None
    source: str = ""
    example: str = ""
    clean: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[bytes]:
        """Compiled at the first use: most rules are never tried."""
        regex = self.regex if isinstance(self.regex, bytes) else self.regex.encode()
        return re.compile(regex, re.IGNORECASE if self.ignores_case else re.NOFLAG)


FILES = ["vendors", "formats", "config-files", "tokens", "commands", "codes", "labels", "prompts", "hooks"]
"""The files in the order of their rules: of two rules that match the same secret, the first names it."""

_JUDGES = {name: f for module in (shape, judges) for name, f in vars(module).items() if name[:3] == "is_"}
_DECODERS = {"text_in_base64": judges.text_in_base64}
_NO_WORD_BEFORE = "(?<![A-Za-z0-9"
_FRAGMENT = lazy_pattern(r"\{([A-Z]+)\}")
_IGNORES_CASE = "(?i)"
_FIELDS = {
    "begins": {"whose", "source", "then", "judge"},
    "in-word": {"whose", "pattern", "judge", "decode", "back", "example", "clean"},
    "in-text": {"whose", "pattern", "judge", "whole", "back", "needs", "example", "clean"},
    "programs": {"flag", "example"},
    "label": {"within", "start", "adjectives", "judge", "example", "clean"},
}
"""By the field that says where to look, which others a rule may have."""


def rules(names: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of these files, in order. MalformedTable with file and line for a mistake in one."""
    shared = next(_blocks("fragments")).fields
    return tuple(rule for name in names for rule in rules_of(_blocks(name), shared))


def rules_of(table: Iterator[FieldBlock], shared: Mapping[str, str]) -> Iterator[Rule]:
    """The rule of each block. The first block holds the fragments of the file; one may contain others that
    stand before it."""
    fragments: dict[str, str] = {}
    for name, value in {**shared, **next(table).fields}.items():
        fragments[name] = _filled(value, fragments)
    for block in table:
        try:
            yield _rule(_Row(block.heading, block.fields, fragments))
        except KeyError as error:
            raise MalformedTable(f"{block.place}: there is no {error}") from error
        except ValueError as error:
            raise MalformedTable(f"{block.place}: {error}") from error


def _blocks(name: str) -> Iterator[FieldBlock]:
    return blocks_beside(__spec__, f"rules/{name}.rules")


def _filled(text: str, fragments: Mapping[str, str]) -> str:
    """A pattern on one line, with the fragments that it names."""
    text = text.replace("\n", "")
    return _FRAGMENT.sub(lambda match: fragments[match[1]], text) if "{" in text else text


@dataclass(frozen=True)
class _Row:
    """The fields of a rule, and the fragments of its file."""

    name: str
    fields: Mapping[str, str]
    fragments: Mapping[str, str]

    def text(self, field: str) -> str:
        """The text of a field, '' without it; `↵` stands for a line break."""
        return self.fields.get(field, "").replace("\n", " ").replace("↵", "\n")

    def pattern(self, field: str) -> str:
        return _filled(self.fields[field], self.fragments)

    def words(self, field: str) -> tuple[bytes, ...]:
        """The words of a field; `␣` stands for a blank, and a fragment for each of its branches."""
        words: list[str] = []
        for word in self.fields.get(field, "").split():
            if word[0] == "{" and word[1:-1] in self.fragments:
                words += self.fragments[word[1:-1]].replace("|", " ").split()
            else:
                words.append(word.replace("␣", " ").replace("↵", "\n"))
        return tuple(word.encode() for word in words)


def _rule(row: _Row) -> Rule:
    kinds = [kind for kind in _FIELDS if kind in row.fields]
    if len(kinds) != 1:
        raise ValueError(f"a rule has one of {', '.join(_FIELDS)}")
    if unknown := row.fields.keys() - _FIELDS[kinds[0]] - {*kinds}:
        raise ValueError(f"a rule with {kinds[0]} has no {', '.join(sorted(unknown))}")
    whose = row.text("whose")
    judge = _JUDGES[row.fields.get("judge", "is_token")]
    if "label" in row.fields:
        return _of_labels(row.name, row.fields, judge)
    example, clean = row.text("example"), row.text("clean")
    if "begins" in row.fields:
        prefixes = row.words("begins")
        either = "|".join(re.escape(prefix.decode()) for prefix in prefixes)
        regex = f"{_NO_WORD_BEFORE}])(?:{either}){row.pattern('then')}"
        rule = Rule(row.name, whose, prefixes, regex, judge, is_one_word=True, begins_word=True)
        return replace(rule, source=row.text("source"))
    if "programs" in row.fields:
        return _of_programs(row, example)
    regex, back = row.pattern("pattern"), int(row.fields.get("back", "0"))
    anchors = row.words("in-word") or tuple(word.lower() for word in row.words("in-text"))
    rule = Rule(row.name, whose, anchors, regex, judge, back=back, example=example, clean=clean)
    if "in-word" in row.fields:
        is_start = regex.startswith(_NO_WORD_BEFORE) and not back
        decode = _DECODERS[row.fields["decode"]] if "decode" in row.fields else None
        return replace(rule, is_one_word=True, begins_word=is_start, decode=decode)
    inner = frozenset(anchors) - {*row.words("whole")} if "whole" in row.fields else frozenset()
    needs, ignores_case = row.text("needs").encode(), regex.startswith(_IGNORES_CASE)
    regex = regex.removeprefix(_IGNORES_CASE)
    return replace(rule, regex=regex, ignores_case=ignores_case, inner=inner, needs=needs)


def _of_programs(row: _Row, example: str) -> Rule:
    """Where some programs take a password on their command line: behind `flag`."""
    programs = row.fields["programs"].split()
    either = "|".join(p.replace("-", "\\-") for p in sorted(programs, key=len, reverse=True))
    before = rf"(?<![\w./-])(?:{either})(?:\.exe)?(?=[ \t])[^\r\n|;]{{0,200}}?[ \t](?:{row.pattern('flag')})"
    anchors = tuple(f"{program} ".lower().encode() for program in programs)
    clean = f"{example[: example.index('{')]}$PASSWORD"
    regex = before + row.fragments["VALUE"]
    return Rule(row.name, programs[0], anchors, regex, shape.is_password, example=example, clean=clean)


def _of_labels(name: str, fields: Mapping[str, str], is_real: Judge) -> Rule:
    """The rule for values beside one of the words in `label`; those of `within` may be a part of a longer
    one. `{passwords}` stands for a list of secret.words, a plus for a blank."""
    listed = " ".join(WORDS[word[1:-1]] if word[0] == "{" else word for word in fields["label"].split())
    longest_first = sorted(spellings_of(listed), key=len, reverse=True)
    either = "|".join(re.escape(word.decode()) for word in longest_first)
    parts = ("named", *(("adjectives",) if "adjectives" in fields else ()), "assigned")
    # Chinese, Japanese, Korean and Thai have no blanks between words.
    inner = {*fields.get("within", "").encode().split(), *(w for w in longest_first if w[0] > 0xDF)}
    anchors = tuple(sorted({next((p for p in inner if w.startswith(p)), w) for w in longest_first}))
    regex = f"{fields.get('start', '')}(?:{either})".encode() + b"".join(PATTERNS[part] for part in parts)
    rule = Rule(name, "any", anchors, regex, is_real, example=fields["example"], clean=fields["clean"])
    return replace(rule, ignores_case=True, is_label=True, inner=frozenset(inner))
