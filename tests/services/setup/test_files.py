"""Files of ours that an installation wants, and files that it edits: what they become, and the way back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import CHECKOUT

from ctxrepo.agents.wanted import OwnFile, ShippedFile
from ctxrepo.errors import ConfigError
from ctxrepo.services.setup.files import WantedFile, wanted_file
from ctxrepo.storage.user.receipt import WrittenFile, digest

OURS = b"hook('/opt/ctxrepo/hook.py')\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ctxrepo.ts"


def own(path: Path) -> WantedFile:
    return wanted_file(OwnFile(path, OURS, {"start": "run start"}))


def test_a_file_of_ours_comes_and_goes(path: Path) -> None:
    assert (own(path).data, own(path).connected(), own(path).lines()) == (None, OURS, {})
    path.write_bytes(OURS)
    assert own(path).lines() == {"start": ["run start"]}
    assert own(path).original(WrittenFile(None, digest(OURS))) is None
    assert own(path).original(None) is None
    assert own(path).notice(None) == ""


def test_what_was_in_its_place_comes_back(path: Path) -> None:
    path.write_bytes(b"theirs\n")
    known = WrittenFile(own(path).before(None), digest(OURS))
    path.write_bytes(OURS)
    assert own(path).original(known) == b"theirs\n"


def test_one_of_an_older_version_goes_too(path: Path) -> None:
    path.write_bytes(b"old hook()\n")
    assert own(path).original(WrittenFile(None, digest(b"old hook()\n"))) is None


def test_one_that_a_person_edited_stays_and_that_is_told(path: Path) -> None:
    path.write_bytes(b"hook() // mine\n")
    known = WrittenFile(None, digest(OURS))
    assert own(path).original(known) == b"hook() // mine\n"
    assert own(path).notice(known) == f"{path} stays: it is not as ctxrepo wrote it."
    assert own(path).before(known) is None


def shipped(path: Path, line: str) -> WantedFile:
    return wanted_file(ShippedFile(path, "pi/ctxrepo.ts", {"line": line}, {"start": line}))


def test_a_file_that_is_brought_along_has_the_places_of_this_machine(path: Path) -> None:
    source = (CHECKOUT / "hooks/pi/ctxrepo.ts").read_text()
    line = "sh \"/a b/ü\" \\ '$1'"
    text = (shipped(path, line).connected() or b"").decode()
    assert text == source.replace('"{line}"', json.dumps(line, ensure_ascii=False))
    assert text != source
    assert shipped(path, line).events == ("start",)


def test_a_place_that_is_not_utf_8_is_refused(path: Path) -> None:
    with pytest.raises(ConfigError, match="not UTF-8"):
        shipped(path, "/\udcff")
