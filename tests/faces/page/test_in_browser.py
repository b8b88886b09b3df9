"""The page in a real browser: it asks for nothing, keys are enough, and without scripts all can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from copies import Copies
from invented import NOW, invent
from machines import Machine
from pages import browser, needs_browser, page_of, prefers

from ctxrepo.services.saving.commit import commit

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

pytestmark = [needs_browser, pytest.mark.slow]

EVIL = (
    "</script><script>document.title='taken'</script> <img src=x onerror=\"document.title='taken'\"> <!-- end"
)


def made(root: Path) -> Machine:
    machine = invent(root)
    machine.write("shop/topics/evil.md", f"---\ndescription: Evil\n---\n# {EVIL}\n\n- {EVIL}\n")
    commit(machine.open(), NOW)
    (root / "page.html").write_text(page_of(machine))
    return machine


@pytest.fixture
def place(copies: Copies) -> Path:
    copies.of(made)
    return copies.place / "page.html"


@pytest.fixture(scope="module")
def with_scripts() -> Iterator[Chrome]:
    with browser() as driver:
        yield driver


def complaints(driver: Chrome) -> list[object]:
    """What the console says since it was asked last."""
    log: Callable[[str], list[object]] = driver.get_log  # selenium gives it no types
    return log("browser")


@pytest.fixture
def opened(with_scripts: Chrome, place: Path) -> Chrome:
    with_scripts.get("about:blank")
    complaints(with_scripts)  # asked once, they are forgotten
    with_scripts.get(place.as_uri())
    return with_scripts


def press(driver: Chrome, *keys: str) -> None:
    from selenium.webdriver import ActionChains

    for key in keys:
        ActionChains(driver).send_keys(key).perform()


def ask(driver: Chrome, expression: str) -> Any:
    return driver.execute_script(f"return {expression}")


def focused(driver: Chrome) -> str:
    return str(ask(driver, "document.activeElement.textContent"))


def seen(driver: Chrome) -> int:
    return int(ask(driver, "[...document.querySelectorAll('.note')].filter(n => n.checkVisibility()).length"))


def wait_until(driver: Chrome, expression: str) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(driver, 5, 0.02).until(lambda _: ask(driver, expression))


@pytest.mark.each_commit
def test_it_opens_without_a_request_or_a_complaint_and_a_note_cannot_act(opened: Chrome) -> None:
    assert opened.title == "ctxrepo: your memory"
    assert ask(opened, "performance.getEntriesByType('resource').length") == 0
    assert ask(opened, "document.querySelectorAll('img, iframe, link').length") == 0
    assert ask(opened, "document.querySelectorAll('script').length") == 1
    assert EVIL in ask(opened, "document.body.textContent")
    assert complaints(opened) == []


def test_what_somebody_puts_into_the_page_is_not_let_in(opened: Chrome) -> None:
    opened.execute_script(
        "const other = document.createElement('div'), own = document.createElement('script');"
        "other.innerHTML = '<img src=data:x onerror=\"top.taken=1\">'; own.textContent = 'top.taken=2';"
        "document.body.append(other, own); fetch('https://example.org').catch(() => { top.refused = 1; })"
    )
    wait_until(opened, "top.refused === 1")
    assert ask(opened, "top.taken") is None


def test_a_click_opens_a_note_and_shows_its_text_and_history(opened: Chrome) -> None:
    from selenium.webdriver.common.by import By

    note = next(n for n in opened.find_elements(By.CSS_SELECTOR, ".note") if "release.md" in n.text)
    assert "Watch the build box" not in note.text
    note.find_element(By.TAG_NAME, "summary").click()
    assert "Watch the build box" in note.text
    assert "edited by laptop-3f1c" in note.text
    note.find_element(By.CSS_SELECTOR, ".version summary").click()
    assert "+- It hangs: `make unlock`." in note.text


def test_a_link_opens_the_note_that_it_leads_to(opened: Chrome) -> None:
    opened.find_element("css selector", ".feed a").click()
    wait_until(opened, "document.querySelector('.note[open] > summary') === document.activeElement")


def test_keys_alone_are_enough(opened: Chrome) -> None:
    from selenium.webdriver.common.keys import Keys

    press(opened, "2", "j")
    assert "redirects.md" in focused(opened)
    press(opened, "j", "j", "k")
    assert "access.md" in focused(opened)
    press(opened, "4", "j", "j")
    name = focused(opened)
    assert ask(opened, "document.querySelectorAll('.note[open]').length") == 0
    press(opened, Keys.ENTER)
    assert ask(opened, "document.querySelectorAll('.note[open]').length") == 1
    press(opened, Keys.ESCAPE)
    assert ask(opened, "document.querySelectorAll('.note[open]').length") == 0
    assert focused(opened) == name
    press(opened, "?")
    assert ask(opened, "document.querySelector('#keys').open")
    press(opened, Keys.ESCAPE)
    assert not ask(opened, "document.querySelector('#keys').open")


def test_every_key_that_the_page_names_does_something_and_no_other(opened: Chrome) -> None:
    named = ask(opened, "[...document.querySelectorAll('#keys kbd')].map(k => k.textContent)")
    script = Path(__file__).parents[3].joinpath("ctxrepo/faces/page/page.js").read_text()
    acts = script.partition("const acts = {")[2].partition("};")[0]
    taken = set(re.findall(r'^    "?(.+?)"?:', acts, re.MULTILINE))
    assert set(named) - {"1", "7", "Enter", "Esc"} == taken - {"Escape"}


def test_the_filter_finds_notes_by_name_and_text_and_says_how_many(opened: Chrome) -> None:
    from selenium.webdriver.common.keys import Keys

    everything = seen(opened)
    press(opened, "/", *"valkey")
    wait_until(opened, "document.querySelector('#shown').textContent === '2 of 18'")
    assert seen(opened) == 2
    press(opened, Keys.ENTER)
    assert "architecture.md" in focused(opened)
    press(opened, "/", Keys.ESCAPE)
    assert seen(opened) == everything
    press(opened, "/", *"no such words")
    wait_until(opened, "document.querySelector('#shown').textContent === '0 of 18'")
    assert ask(opened, "[...document.querySelectorAll('.scope')].every(s => s.hidden)")


def test_a_command_is_copied_to_the_letter(opened: Chrome) -> None:
    script = (
        "window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); }"
    )
    opened.execute_script(script)
    opened.find_element("css selector", "#waiting .copy").click()
    press(opened, "3", "j", "c")
    wait_until(opened, "window.copied.length === 2")
    assert ask(opened, "window.copied[0]") == "ctxrepo sync --accept deletions"
    assert re.fullmatch(r"ctxrepo conflicts resolve \w{10} --keep kept", ask(opened, "window.copied[1]"))
    assert "Copied" in ask(opened, "document.querySelector('#said').textContent")


def test_dark_and_light_follow_the_system_and_the_switch(opened: Chrome) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    prefers(opened, "light")
    light = ask(opened, colour)
    prefers(opened, "dark")
    dark = ask(opened, colour)
    assert light != dark
    press(opened, "t")
    assert ask(opened, colour) == light
    prefers(opened, "light")
    press(opened, "t")
    assert ask(opened, colour) == dark
    press(opened, "t")


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_is_wider_than_the_screen(place: Path, width: int) -> None:
    with browser(width=width) as driver:
        driver.get(place.as_uri())
        driver.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")
        assert ask(driver, "document.documentElement.scrollWidth") == width


@pytest.mark.each_commit
def test_without_scripts_it_is_a_plain_page_that_can_be_read(place: Path) -> None:
    with browser(runs_scripts=False) as driver:
        driver.get(place.as_uri())
        notes = driver.find_elements("css selector", ".note > summary")
        assert len(notes) == 18
        notes[1].click()
        article = driver.find_element("css selector", ".note[open] article")
        assert "Releases" in article.text or article.text
        assert not any(tool.is_displayed() for tool in driver.find_elements("css selector", ".tools, .copy"))
        assert "Holds now" in driver.find_element("css selector", "#conflicts").text
        assert complaints(driver) == []
