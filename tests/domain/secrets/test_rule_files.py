"""The files of rules: what a block means, and what is said of a mistake in one."""

from __future__ import annotations

import pytest

from ctxrepo.domain.formats.blocks import MalformedTable, blocks
from ctxrepo.domain.secrets.rule_files import FILES, Rule, rules, rules_of

GOOD = """\
# A comment.
PART: [a-z]{4}

[acme-token]
whose: Acme
in-word: acme_
pattern: acme_{PART}
    [0-9]{16}
example: acme_{a20}
clean: acme_name
"""


def read(text: str) -> list[Rule]:
    return list(rules_of(blocks("acme.rules", text), {"VALUE": "(x)"}))


def test_a_block_is_a_rule() -> None:
    (rule,) = read(GOOD)
    assert (rule.name, rule.whose, rule.anchors) == ("acme-token", "Acme", (b"acme_",))
    assert rule.pattern.search(b"acme_abcd0123456789012345")
    assert rule.is_one_word


def test_blanks_and_line_breaks_have_signs() -> None:
    (rule,) = read("[x]\nin-text: log␣in\npattern: (?i)log in (.*)\nexample: a↵b\nclean: c\n")
    assert (rule.anchors, rule.example, rule.ignores_case) == ((b"log in",), "a\nb", True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("whose", "who", "acme.rules:4: a rule with in-word has no who"),
        ("clean", "needs: acme\nclean", "acme.rules:4: a rule with in-word has no needs"),
        ("in-word: acme_\n", "", "acme.rules:4: a rule has one of begins, in-word, in-text, programs, label"),
        (
            "clean",
            "in-text: acme\nclean",
            "acme.rules:4: a rule has one of begins, in-word, in-text, programs, label",
        ),
        ("clean", "judge: is_nothing\nclean", "acme.rules:4: there is no 'is_nothing'"),
        ("{PART}", "{PARTS}", "acme.rules:4: there is no 'PARTS'"),
        ("pattern", "back: far\npattern", "acme.rules:4: invalid literal for int() with base 10: 'far'"),
        ("clean: acme_name", "whose: you", "acme.rules:10: neither a new field nor a heading: whose: you"),
        ("clean: acme_name", "nothing", "acme.rules:10: neither a new field nor a heading: nothing"),
    ],
)
def test_a_mistake_is_said_with_its_place(old: str, new: str, message: str) -> None:
    with pytest.raises(MalformedTable) as failure:
        read(GOOD.replace(old, new, 1))
    assert str(failure.value) == message


def test_all_files_are_well_formed() -> None:
    every = rules(FILES)
    assert len(every) > 300
    assert all(rule.pattern.pattern and rule.whose and rule.anchors for rule in every)
