"""Our MCP server in documents of JSON: among the servers of a person, and out again to the byte."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.agents.mcp_server import JsonServers, McpServer, command_of
from ctxrepo.domain.formats import jsontext

SERVER = McpServer(Path("/opt/py 3/bin/python"), {"CTXREPO_STATE": "/var/ctxrepo"})
LISTED = JsonServers("mcpServers", SERVER, spelled=lambda server: {**server.entry, "tools": ["*"]})
WITH_COMMENTS = JsonServers("mcp", SERVER, has_comments=True)
TAKEN_OUT = JsonServers("mcpServers", None)

OTHERS = """{
  "theme": "dark",
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": ["-y", "@github/mcp"],
      "timeout": 30
    }
  }
}
"""

DOCUMENTS = {
    "others": OTHERS,
    "windows": "\ufeff" + OTHERS.replace("\n", "\r\n").rstrip("\r\n"),
    "tabs": OTHERS.replace("  ", "\t"),
    "minified": json.dumps(json.loads(OTHERS), separators=(",", ":")),
    "empty list": '{ "mcpServers": { } }',
    "no list": '{\n    "theme": "dark"\n}',
    "empty object": "{}",
}


@pytest.mark.parametrize("text", DOCUMENTS.values(), ids=DOCUMENTS)
def test_ours_comes_beside_theirs_and_goes_again_to_the_byte(text: str) -> None:
    connected = LISTED.connect(text)
    before, after = (json.loads(each.removeprefix("\ufeff")) for each in (text, connected))
    servers = after["mcpServers"]
    assert servers.pop("ctxrepo") == {
        "command": "/opt/py 3/bin/python",
        "args": ["-I", "-m", "ctxrepo", "mcp"],
        "env": {"CTXREPO_STATE": "/var/ctxrepo"},
        "tools": ["*"],
    }
    assert servers == before.pop("mcpServers", {})
    assert {**after, "mcpServers": ""} == {**before, "mcpServers": ""}
    assert LISTED.connect(connected) == connected
    assert command_of(LISTED.server(connected)) == "/opt/py 3/bin/python"
    assert LISTED.server(text) is None
    assert LISTED.disconnect(connected, text) == TAKEN_OUT.connect(connected, None, text) == text
    assert LISTED.disconnect(connected, LISTED.outline(text)) == text
    assert LISTED.disconnect(text, text) == TAKEN_OUT.connect(text) == text


@pytest.mark.parametrize("text", ["", "\ufeff", " \n"])
def test_a_document_that_we_made_says_nothing_without_us(text: str) -> None:
    connected = LISTED.connect(text)
    assert not LISTED.is_blank(connected)
    assert LISTED.is_blank(LISTED.disconnect(connected, text))
    assert LISTED.is_blank(LISTED.disconnect(connected))
    schema = connected.replace("{", '{"$schema": "https://opencode.ai/config.json",', 1)
    assert LISTED.is_blank(LISTED.disconnect(schema, text)), "an agent adds this by itself"


def test_it_is_brought_up_to_date_where_it_stands_and_what_a_person_chose_stays() -> None:
    past = replace(LISTED, ours=McpServer(Path("/old/python")))
    text = past.connect(OTHERS).replace('"*"', '"recall"').replace('"env": {}', '"timeout": 5,\n"env": {}')
    now = LISTED.connect(text)
    assert "/old/python" not in now
    assert json.loads(now)["mcpServers"]["ctxrepo"] == {**SERVER.entry, "timeout": 5, "tools": ["recall"]}
    assert '"timeout": 5,' in now
    assert LISTED.disconnect(now) == OTHERS


def test_of_variables_ours_alone_are_renewed() -> None:
    commented = JsonServers("mcp", McpServer(Path("/p"), {"CTXREPO_HOME": "/m"}), has_comments=True)
    env = '{"CTXREPO_MCP": "read", /* mine */ "CTXREPO_STATE": "/old", "CTXREPO_HOME": "/old"}'
    words = '"command": "/p", "args": ["-I", "-m", "ctxrepo", "mcp"]'
    text = f'{{"mcp": {{"ctxrepo": {{{words}, "env": {env}}}}}}}'
    now = commented.connect(text)
    assert "/* mine */" in now
    assert commented.server(now) == {
        **McpServer(Path("/p")).entry,
        "env": {"CTXREPO_MCP": "read", "CTXREPO_HOME": "/m"},
    }
    assert commented.connect(now) == now
    usual = JsonServers("mcp", McpServer(Path("/p")), has_comments=True)
    assert '"env": {"CTXREPO_MCP": "read"' in usual.connect(now)
    assert "CTXREPO_HOME" not in usual.connect(now)


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/home/ada/.local/bin/ctxrepo", "args": ["mcp"]},
        {"command": "ctxrepo", "args": ["mcp"], "timeout": 5},
        {"command": ["/home/ada/.local/bin/ctxrepo", "mcp"]},
    ],
)
def test_what_our_page_tells_people_to_paste_is_ours(entry: dict[str, object]) -> None:
    text = json.dumps({"mcpServers": {"ctxrepo": entry}}, indent=2)
    assert json.loads(LISTED.connect(text))["mcpServers"]["ctxrepo"] == {
        **entry,
        **SERVER.entry,
        "tools": ["*"],
    }
    assert "ctxrepo" not in LISTED.disconnect(text)


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "npx", "args": ["ctxrepo-mcp"]},
        {"command": "ctxrepo", "args": ["mcp", "--else"]},
        {"command": "/opt/other-ctxrepo", "args": ["mcp"]},
        {"command": []},
        {"url": "https://example.com/mcp"},
        {"command": ["uvx", "ctxrepo", "mcp"]},
        "ctxrepo",
        None,
    ],
)
def test_a_server_of_a_person_that_has_our_name_is_told_and_left(entry: object) -> None:
    text = json.dumps({"mcpServers": {"ctxrepo": entry}}, indent=2)
    with pytest.raises(
        jsontext.Malformed, match='line 3, column 16: "ctxrepo" is the name of another'
    ) as error:
        LISTED.connect(text)
    assert "\n" not in str(error.value)
    assert LISTED.disconnect(text) == TAKEN_OUT.connect(text) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{\n  // mine\n  "mcpServers": {}\n}', "line 2, column 3: a comment"),
        ('{"mcpServers": {},}', "line 1, column 19: a comma"),
        ("[]", "expected an object"),
        ('{"mcpServers": []}', '"mcpServers" should be an object'),
        ('{"mcpServers": {"ctxrepo": ', "but the file ends"),
    ],
)
def test_a_document_that_cannot_be_read_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(jsontext.Malformed, match=message):
        LISTED.connect(text)


def test_comments_stay_where_the_agent_takes_them() -> None:
    text = '{\n  // mine\n  "mcp": {\n    /* none yet */\n  }\n}\n'
    connected = WITH_COMMENTS.connect(text)
    assert "// mine" in connected
    assert command_of(WITH_COMMENTS.server(connected))
    assert "none yet" in WITH_COMMENTS.disconnect(connected)
    added = WITH_COMMENTS.connect("{}\n").replace('"mcp": {', '"mcp": {  // servers')
    assert "// servers" in WITH_COMMENTS.disconnect(added), "what a person wrote outlives our server"


def test_of_a_state_no_more_is_kept_than_whether_it_has_a_list() -> None:
    text = json.dumps({"oauthAccount": {"emailAddress": "ada@example.com"}, "mcpServers": {"x": {}}})
    assert LISTED.outline(text) == '{"mcpServers": {}}\n'
    assert LISTED.outline('{"oauthAccount": 1}') == "{}\n"


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def _documents(draw: st.DrawFn) -> str:
    """Any document with any servers in it, in any layout."""
    fields: dict[str, Any] = draw(st.dictionaries(_WORDS, _VALUES, max_size=3))
    if draw(st.booleans()):
        fields["mcpServers"] = draw(st.dictionaries(_WORDS.filter(lambda name: name != "ctxrepo"), _VALUES))
    else:
        fields.pop("mcpServers", None)
    indent = draw(st.sampled_from([None, 0, 1, 2, 4, "\t"]))
    text = json.dumps(fields, indent=indent, ensure_ascii=draw(st.booleans()))
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", "\n"]))


@given(_documents())
def test_every_document_comes_back_to_the_byte(text: str) -> None:
    connected = LISTED.connect(text)
    assert command_of(LISTED.server(connected))
    assert LISTED.connect(connected) == connected
    assert LISTED.disconnect(connected, text) == text
    assert LISTED.disconnect(connected, LISTED.outline(text)) == text
