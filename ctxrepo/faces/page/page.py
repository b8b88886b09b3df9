"""The whole page from a report: one file with its style and its script inside, and a policy that lets nothing
else in. See docs/adr/0091-the-page-is-one-file.md."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import ctxrepo
from ctxrepo.domain.formats.blocks import text_beside
from ctxrepo.domain.formats.moment import counted, wall_time
from ctxrepo.errors import CtxrepoError
from ctxrepo.faces.page.markup import NOTHING, Html, copied, join, mask_between_tags, tag
from ctxrepo.faces.page.notes import anchors_of, notes_section
from ctxrepo.faces.page.sections import conflicts, machines, overview, tape, usage, waiting
from ctxrepo.storage.disk.private import put_whole

if TYPE_CHECKING:
    from ctxrepo.app.report.report_values import MemoryReport


def page(report: MemoryReport) -> str:
    """The same report gives the same page, to the byte."""
    style, script = (text_beside(__spec__, name) for name in ("page.css", "page.js"))
    own = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    policy = f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"
    body = mask_between_tags(join(_rail(report), _main(report)))
    parts = {"policy": policy, "style": style, "script": script, "body": body}
    # What was put in is not looked through for marks again.
    pieces = re.split(r"@@(\w+)@@", text_beside(__spec__, "page.html"))
    return "".join([parts[piece] if number % 2 else piece for number, piece in enumerate(pieces)])


def _hash(text: str) -> str:
    """What a browser compares an element's text with before it heeds it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _rail(report: MemoryReport) -> Html:
    """The names of the sections with how much is in each."""
    counts = {
        "overview": ("Overview", None),
        "waiting": ("Waiting", len(report.waiting)),
        "conflicts": ("Conflicts", len(report.apart)),
        "notes": ("Notes", len(report.notes)),
        "tape": ("Tape", len(report.tape)),
        "usage": ("Usage", None),
        "machines": ("Machines", len(report.machines)),
    }
    links = [
        tag(
            "li",
            tag("a", title, tag("span", f"{count:,}", class_="size") if count else NOTHING, href=f"#{name}"),
        )
        for name, (title, count) in counts.items()
    ]
    theme = tag("button", "Dark or light", type_="button", id="theme")
    keys = tag("button", "Keys ", tag("kbd", "?"), type_="button", id="help")
    tools = tag("div", theme, keys, class_="tools", hidden=True)
    name = tag("a", "ctxrepo", href="#overview", class_="name")
    return tag("nav", name, tag("ol", *links), tools, aria_label="Sections")


def _main(report: MemoryReport) -> Html:
    anchors = anchors_of(report.notes)
    notes = counted(len(report.notes), "note")
    scopes = counted(len(report.scopes), "scope")
    about = f"{notes} in {scopes}, seen from {report.host} on {wall_time(report.made)}."
    head = tag("header", tag("h1", "Your memory"), tag("p", about), class_="top")
    parts = (
        overview(report, anchors),
        waiting(report),
        conflicts(report),
        notes_section(report),
        tape(report),
        usage(report),
        machines(report),
        _left_out(report),
    )
    return tag("main", head, *parts, id="main")


def _left_out(report: MemoryReport) -> Html:
    hints = [copied(omission.command, f"Not in this page: {omission.what}") for omission in report.left_out]
    imprint = (
        f"Made by ctxrepo {ctxrepo.__version__}. This file asks for nothing, sends nothing and changes "
        "nothing; it holds what your memory held when it was made."
    )
    return tag("footer", *hints, tag("p", imprint))


def write_page(path: Path, page: str) -> None:
    """Put the page in the place of what is at `path`, or of nothing."""
    try:
        if path.is_dir():
            raise IsADirectoryError(0, "it is a folder")
        put_whole(path, page)
    except OSError as error:
        raise CtxrepoError(
            f"the page can't be written to {path}: {error.strerror}",
            "Name another file, or take it from standard output: `ctxrepo review --html -`.",
        ) from error
