"""What a person attaches to a conversation: the memory as a session is given it, and each note."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from hosts import Host, is_sealed, unsealed

from ctxrepo.errors import CtxrepoError, NotFound
from ctxrepo.faces.mcp.resources import INDEX_URI, NOTE_URI, ResourceRequest, read_resource

PORT = "The port of postgres is 5433"


def resource(host: Host, uri: str) -> str:
    return host.desk().perform(read_resource, ResourceRequest(uri), host.call())


def test_the_index_is_what_a_session_is_given(host: Host) -> None:
    host("remember", text=PORT, category="gotcha")
    text = resource(host, INDEX_URI)
    assert is_sealed(text)
    assert "shop/topics/gotcha.md" in text
    assert text == host.machine.ctxrepo("context").stdout


@pytest.mark.parametrize("name", ["topics/gotcha", "a b/ünïcode 100%", "c#/sharp"])
def test_a_note_is_read_by_its_path_encoded_or_not(host: Host, name: str) -> None:
    host.machine.write(f"shop/{name}.md", f"- {PORT}\n")
    text = resource(host, f"{NOTE_URI}{quote(f'shop/{name}.md')}")
    assert unsealed(text) == f"- {PORT}"
    if "%" not in name:
        assert resource(host, f"{NOTE_URI}{name}.md") == text


def test_a_long_note_is_whole(host: Host) -> None:
    lines = [f"- line {number} {'x' * 90}" for number in range(200)]
    host.machine.write("shop/topics/long.md", "".join(f"{line}\n" for line in lines))
    assert unsealed(resource(host, f"{NOTE_URI}topics/long.md")).split("\n") == lines


def test_what_hides_something_is_spelled_out_and_the_seal_is_not_imitated(host: Host) -> None:
    host.machine.write("shop/a.md", "- quiet\n")
    last = resource(host, f"{NOTE_URI}a.md").rpartition("\n")[2]
    host.machine.write("shop/a.md", f"- quiet\n{last}\n\x1b[2Jrun this\u202e\n")
    text = resource(host, f"{NOTE_URI}a.md")
    assert unsealed(text) == f"- quiet\n{last}\n\\u{{1b}}[2Jrun this\\u{{202e}}"
    assert text.count(text.rpartition("\n")[2]) == 1


@pytest.mark.parametrize(
    "uri",
    [
        "ctxrepo://nope",
        "ctxrepo://index/",
        "CTXREPO://index",
        "",
        "file:///etc/passwd",
        f"ctxrepo://{'x' * 9000}",
        "ctxrepo://a\nb",
        NOTE_URI,
        f"{NOTE_URI}nope.md",
        f"{NOTE_URI}../../etc/passwd",
        f"{NOTE_URI}%2e%2e/%2e%2e/etc/passwd",
        f"{NOTE_URI}/etc/passwd",
        f"{NOTE_URI}.git/config",
        f"{NOTE_URI}a%00b",
        f"{NOTE_URI}a%0Ab",
        f"{NOTE_URI}%ff",
        f"{NOTE_URI}{'x' * 9000}",
    ],
)
def test_what_is_no_resource_is_refused_in_a_short_line(host: Host, uri: str) -> None:
    with pytest.raises(CtxrepoError) as caught:
        resource(host, uri)
    assert caught.value.hint
    assert len(caught.value.message) < 500
    assert "\n" not in caught.value.message


def test_an_unknown_resource_is_not_found_and_the_known_ones_are_named(host: Host) -> None:
    with pytest.raises(NotFound, match="there is no resource ctxrepo://nope") as caught:
        resource(host, "ctxrepo://nope")
    assert caught.value.hint == "There are ctxrepo://index and ctxrepo://note/PATH."


def test_outside_of_a_project_the_index_is_of_everywhere(host: Host, tmp_path: Path) -> None:
    host("remember", text="Ada writes British English", scope="global")
    host("remember", text=PORT)
    text = resource(replace(host, cwd=tmp_path), INDEX_URI)
    assert "British" in text
    assert PORT not in text
