"""The page of a memory as a test looks at it: made at a fixed moment, taken apart, opened in a browser."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from invented import NOW
from machines import Machine
from needs import lacks, place_of, unless

from ctxrepo.app.desk import Call, Desk
from ctxrepo.app.report.report import report
from ctxrepo.app.report.report_values import MemoryReport, ReportRequest
from ctxrepo.faces.page.page import page

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

needs_browser = unless(lacks("chromium", "chromedriver"))


def report_of(machine: Machine, **bounds: int) -> MemoryReport:
    """The report of a memory as it is at a fixed moment."""
    desk = Desk(Call(machine.project_folder, machine.env), lambda: NOW, sys.executable)
    try:
        return desk.perform(report, ReportRequest(**bounds)).value
    finally:
        desk.close()


def page_of(machine: Machine, **bounds: int) -> str:
    return page(report_of(machine, **bounds))


@dataclass
class Parsed(HTMLParser):
    """Elements with their attributes, all texts but those of style and script, and what is left open."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    raw: dict[str, str] = field(default_factory=dict)
    """The text of style and script."""

    def __post_init__(self) -> None:
        super().__init__()

    @classmethod
    def of(cls, text: str) -> Parsed:
        parsed = cls()
        parsed.feed(text)
        parsed.close()
        return parsed

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input", "br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script"):
            self.raw[self.open[-1]] = data
        else:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    @property
    def text(self) -> str:
        return "".join(self.texts)


@contextmanager
def browser(*, runs_scripts: bool = True, width: int = 1440, height: int = 900) -> Iterator[Chrome]:
    """Debian's chromium without a window, network or profile of anybody's."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = place_of("chromium")
    words = (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--hide-scrollbars",
    )
    for word in (
        *words,
        "--disable-background-networking",
        "--force-prefers-reduced-motion",
        f"--window-size={width},{height}",
    ):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = Chrome(options=options, service=Service(place_of("chromedriver")))
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not runs_scripts})
    try:
        yield driver
    finally:
        driver.quit()


def prefers(driver: Chrome, theme: str) -> None:
    """As if the system asked for a dark or light page."""
    wish: dict[str, Any] = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)
