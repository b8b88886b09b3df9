"""The page is one file that lets nothing in and out: seen without a browser."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from checkout import CHECKOUT
from copies import Copies
from invented import NOW, SECRET, invent
from machines import Machine
from pages import Parsed, page_of, report_of

from ctxrepo.faces.page.page import page
from ctxrepo.services.saving.commit import commit

EVIL = "</script><script>alert(1)</script> <img src=x onerror=alert(1)> <!-- end"


def made(root: Path) -> Machine:
    return invent(root)


@pytest.fixture
def machine(copies: Copies) -> Machine:
    return copies.of(made)


def policy_of(parsed: Parsed) -> dict[str, str]:
    policy = next(
        attributes["content"] or ""
        for name, attributes in parsed.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    return dict(part.strip().split(" ", 1) for part in policy.split(";"))


def test_the_policy_lets_in_this_style_and_this_script_and_nothing_else(machine: Machine) -> None:
    parsed = Parsed.of(page_of(machine))
    policy = policy_of(parsed)
    for kind in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(parsed.raw[kind].encode()).digest()).decode()
        assert policy.pop(f"{kind}-src") == f"'sha256-{digest}'"
    assert policy == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    order = [name for name, _ in parsed.elements]
    assert order.index("style") > order.index("meta")
    assert parsed.open == []


def test_nothing_in_it_asks_for_anything(machine: Machine) -> None:
    parsed = Parsed.of(page_of(machine))
    assert {name for name, _ in parsed.elements}.isdisjoint(
        ("img", "link", "iframe", "object", "embed", "base", "form", "audio", "video", "source", "use")
    )
    for _, attributes in parsed.elements:
        assert not [
            name for name in attributes if name.startswith("on") or name in ("style", "src", "srcset")
        ]
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"url\(|@import|https?:", parsed.raw["style"])
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|fetch\(|https?:", parsed.raw["script"]
    )


def test_every_link_leads_to_something_and_no_id_is_given_twice(machine: Machine) -> None:
    parsed = Parsed.of(page_of(machine))
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = {(attributes["href"] or "")[1:] for _, attributes in parsed.elements if "href" in attributes}
    assert links <= set(ids)
    assert len(links) > 10


def test_a_note_that_would_break_out_is_text_wherever_it_is_shown(machine: Machine) -> None:
    machine.write(
        "shop/topics/evil.md",
        f"---\ndescription: '{EVIL}'\ntags: ['{EVIL}']\n---\n# {EVIL}\n\n- {EVIL}: `{EVIL}`\n"
        f"\n```\n{EVIL}\n```\n",
    )
    commit(machine.open(), NOW)
    text = page_of(machine)
    parsed = Parsed.of(text)
    assert parsed.text.count(EVIL) > 5
    assert [name for name, _ in parsed.elements].count("script") == 1
    assert "<img" not in text
    assert "<!--" not in text


def test_no_attribute_holds_what_the_memory_says(machine: Machine) -> None:
    parsed = Parsed.of(page_of(machine))
    values = {value for _, attributes in parsed.elements for value in attributes.values() if value}
    report = report_of(machine)
    for note in report.notes:
        for word in (note.path, note.description, note.tags):
            assert not word or word not in values
    assert not [value for value in values if "shop" in value]


def test_no_secret_is_in_it_and_what_hides_is_seen(machine: Machine) -> None:
    machine.write("shop/topics/odd.md", "- right \u202e to left, and \u200b nothing\n")
    commit(machine.open(), NOW)
    text = page_of(machine)
    assert SECRET not in text
    assert "[stripe-key]" in text
    assert "\\u{202e}" in text
    assert not re.search("[\u202e\u200b]", text)


def test_the_same_memory_at_the_same_moment_is_the_same_page(machine: Machine) -> None:
    assert page_of(machine) == page_of(machine)


def test_each_section_shows_what_is_in_it(machine: Machine) -> None:
    text = Parsed.of(page_of(machine)).text
    for words in (
        "7to decide",
        "15came this week",
        "ctxrepo open shop:topics/access.md",
        "ctxrepo conflicts resolve",
        "Pictures are converted by four workers",
        "Holds now",
        "5435, by TLS only",
        "What the shop is made of",
        "payments/survive",
        "prompts with entries",
        "buildbox-0e42",
        "key port",
        "used 3 times",
        "laptop-3f1c, here",
        "Set aside, from claude on laptop-3f1c",
        "1 file held back",
        "ctxrepo status --machines",
    ):
        assert words in text, words


def test_an_empty_memory_says_so_in_each_section(ada: Machine) -> None:
    ada.init()
    text = Parsed.of(page(report_of(ada))).text
    for words in (
        "Nothing waits for you.",
        "No two machines disagree.",
        "No session has left an anchor yet.",
    ):
        assert words in text


def test_what_is_left_out_stands_at_the_end_with_its_command(machine: Machine) -> None:
    text = Parsed.of(page_of(machine, note_bytes=1500, anchors=3)).text
    assert "Not in this page: the texts of" in text
    assert "Not in this page: 10 earlier anchors" in text
    assert "ctxrepo read shop:" in text


def test_the_keys_of_the_docs_are_those_of_the_page(machine: Machine) -> None:
    guide = (CHECKOUT / "docs/how-to/look-at-your-memory.md").read_text("utf-8")
    table = guide.partition("## Keys")[2].partition("Without JavaScript")[0]
    keys = re.findall(r"`(.)`|^\| (Enter|Esc) ", table, re.MULTILINE)
    dialog = page_of(machine).partition('<dialog id="keys"')[2]
    assert {letter or name for letter, name in keys} == set(re.findall(r"<kbd>(.+?)</kbd>", dialog))


def test_a_path_that_a_shell_would_act_on_is_quoted_in_commands(machine: Machine) -> None:
    machine.write("shop/a $(touch x).md", "- One\n")
    commit(machine.open(), NOW)
    assert "ctxrepo read 'shop:a $(touch x).md'" in Parsed.of(page_of(machine)).text
