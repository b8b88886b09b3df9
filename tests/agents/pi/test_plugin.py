"""The package for pi: what it holds, and how pi notes that it is installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import CHECKOUT

import ctxrepo
from ctxrepo.agents.pi import install

PACKAGE = json.loads((CHECKOUT / "package.json").read_text())


def test_the_package_has_the_extension_and_the_skills_and_needs_nothing() -> None:
    assert PACKAGE["version"] == ctxrepo.__version__
    assert "pi-package" in PACKAGE["keywords"]
    for path in (*PACKAGE["pi"]["extensions"], *PACKAGE["pi"]["skills"], *PACKAGE["files"]):
        assert (CHECKOUT / path).exists()
    assert "dependencies" not in PACKAGE
    assert set(PACKAGE["peerDependencies"].values()) == {"*"}


def test_the_npm_form_holds_what_the_extension_calls() -> None:
    """`hooks/run`, which stands beside the extension's folder in the package as in a checkout."""
    source = (CHECKOUT / "hooks/pi/ctxrepo.ts").read_text()
    assert 'new URL("../run", import.meta.url)' in source
    assert "hooks/run" in PACKAGE["files"]


def test_the_note_is_in_pis_settings() -> None:
    assert install.folder(Path("/home/ada"), {}) / install.PLUGIN.note == Path(
        "/home/ada/.pi/agent/settings.json"
    )
    moved = install.folder(Path("/home/ada"), {"PI_CODING_AGENT_DIR": "/w"})
    assert moved / install.PLUGIN.note == Path("/w/settings.json")


@pytest.mark.parametrize(
    ("package", "wanted"),
    [
        ("npm:ctxrepo", True),
        ("npm:ctxrepo@1.2.3", True),
        ("git:github.com/ada/ctxrepo", True),
        ("git:github.com/ada/ctxrepo@v1", True),
        ("git:github.com/ada/ctxrepo.git@v1", True),
        ("https://git.example.org/ada/ctxrepo", True),
        ("git:git@git.example.org:ada/ctxrepo", True),
        ("../../code/ctxrepo", True),
        ("./ctxrepo/", True),
        ({"source": "npm:ctxrepo", "skills": []}, True),
        ({"source": "npm:ctxrepo", "extensions": []}, False),
        ("npm:pi-ctxrepo", False),
        ("npm:@ada/other", False),
        ("npm:@ada/ctxrepo", False),
        ("../ctxrepo-old", False),
        ({}, False),
        (3, False),
    ],
)
def test_our_package_is_known_by_its_name(package: object, wanted: bool) -> None:
    assert install.PLUGIN.is_on(json.dumps({"packages": ["npm:other", package]})) is wanted


@pytest.mark.parametrize("text", ["{}", "[]", '{"packages": {}}', '{"packages": null}'])
def test_settings_without_packages_have_none(text: str) -> None:
    assert not install.PLUGIN.is_on(text)


def test_settings_that_cannot_be_read_are_told() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        install.PLUGIN.is_on("{")
