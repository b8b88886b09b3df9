from __future__ import annotations

import re

import pytest
from each import for_each
from made import Maker

from ctxrepo.domain.secrets import mask, scan
from ctxrepo.domain.secrets.rule_files import SHORTEST_TOKEN, Rule
from ctxrepo.domain.secrets.search import RULES


def _named(rule: Rule) -> str:
    return f"{rule.name}-{rule.whose}"


def _example(rule: Rule, maker: Maker) -> str:
    return maker.filled(rule.example) if rule.example else maker.of_pattern(rule.regex)


@pytest.mark.slow
@for_each(RULES, name=_named)
def test_each_rule_finds_its_example_and_leaves_its_clean_text(rule: Rule) -> None:
    maker = Maker()
    for _ in range(5):
        example = _example(rule, maker)
        secrets = scan(f"- see\n{example}\n- more")
        assert secrets, example
        assert {s.rule for s in secrets} & {rule.name}, (example, secrets)
        match = next(m for m in re.finditer(rule.pattern, example.encode()) if rule.is_real(m))
        secret = match[match.lastindex or 0].decode().strip()
        hidden = mask(example)
        assert secret not in hidden, hidden
        assert secret[-8:] not in hidden, hidden
    if rule.clean:
        assert scan(maker.filled(rule.clean)) == ()
    else:
        prefix = rule.anchors[0].decode()
        for body in ("x" * 40, "...", "your-token-goes-here", "<token>", "${TOKEN}", "abc"):
            assert scan(f"{prefix}{body}") == (), body


@for_each(RULES, name=_named)
def test_each_rule_says_whose_secret_it_finds(rule: Rule) -> None:
    assert rule.whose
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert rule.anchors
    assert rule.begins_word or (rule.example and rule.clean)
    assert not (rule.is_one_word and rule.ignores_case)
    if not rule.is_one_word:
        assert all(anchor == anchor.lower() for anchor in rule.anchors)


@for_each([r for r in RULES if r.is_one_word], name=_named)
def test_a_token_is_as_long_as_the_search_for_it_assumes(rule: Rule) -> None:
    assert len(_example(rule, Maker()).split()[0]) >= SHORTEST_TOKEN
