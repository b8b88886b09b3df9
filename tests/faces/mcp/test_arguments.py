"""What hosts pass to tools: put right where models misspell it, and refused in a line that tells how to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.project.layout import INVISIBLE
from ctxrepo.errors import UsageError
from ctxrepo.faces.mcp.arguments import checked, unquoted
from ctxrepo.faces.mcp.former_tools import former_tools
from ctxrepo.faces.mcp.tools import tools

SCHEMAS = {name: tool.definition["inputSchema"] for name, tool in {**former_tools(), **tools()}.items()}
SEARCH, EDIT, LESSON = SCHEMAS["search"], SCHEMAS["edit"], SCHEMAS["memory_remember"]


def refused(schema: dict[str, Any], given: dict[str, Any]) -> UsageError:
    with pytest.raises(UsageError) as caught:
        checked(schema, given)
    return caught.value


@pytest.mark.parametrize("number", [5, "5", '"5"', 5.0, " 5", "5 "])
def test_a_number_may_stand_in_quotes(number: object) -> None:
    assert checked(SEARCH, {"query": "x", "limit": number}) == {"query": "x", "limit": 5}


@pytest.mark.parametrize(
    "number", [0, 51, "51", -1, "-1", "--5", "-", 1.5, "1.5", True, [5], {}, 1e300, float("inf"), "9" * 9999]
)
def test_a_number_out_of_its_bounds_is_refused_and_so_is_what_is_none(number: object) -> None:
    error = refused(SEARCH, {"query": "x", "limit": number})
    assert error.message == "`limit` should be a whole number from 1 to 50"


def test_a_number_without_an_upper_bound_says_from_where_on() -> None:
    assert checked(SEARCH, {"query": "x", "from": 10**8}) == {"query": "x", "from": 10**8}
    assert refused(SEARCH, {"query": "x", "from": "0"}).message == "`from` should be a whole number from 1 on"


@pytest.mark.parametrize(
    ("given_text", "text"),
    [
        ('"Deploys run on Tuesdays"', "Deploys run on Tuesdays"),
        (' "Deploys" ', "Deploys"),
        ('"a \\"quoted\\" word\\n"', 'a "quoted" word\n'),
        ('"one", "two"', '"one", "two"'),
        ('"', '"'),
        ('"a" and "b"', '"a" and "b"'),
        ('"torn \\"', '"torn \\"'),
        ("'single'", "'single'"),
        ("Deploys run", "Deploys run"),
    ],
)
def test_a_text_loses_the_quotes_around_all_of_it_and_no_others(given_text: str, text: str) -> None:
    assert unquoted(given_text) == text
    assert checked(SEARCH, {"query": given_text}) == {"query": text}


def test_passages_are_taken_as_they_are() -> None:
    given = {"target": '"MEMORY"', "old": '"port"', "new": ' "5433" '}
    assert checked(EDIT, given) == {**given, "target": "MEMORY"}


def test_an_empty_new_removes_the_passage_and_no_other_required_text_may_be_empty() -> None:
    given = {"target": "MEMORY", "old": "x", "new": ""}
    assert checked(EDIT, given) == given
    for name in ("target", "old"):
        assert refused(EDIT, {**given, name: ""}).message == f"`{name}` is missing"
    assert refused(SEARCH, {"query": '""'}).message == "`query` is missing"


def test_an_argument_that_is_null_or_empty_is_left_out() -> None:
    given = {"query": "x", "limit": None, "tag": "", "where": "", "from": "", "scope": '""'}
    assert checked(SEARCH, given) == {"query": "x"}
    assert refused(SEARCH, {"query": None}).message == "`query` is missing"


def test_a_missing_argument_is_told_with_what_it_is() -> None:
    error = refused(SCHEMAS["recall"], {})
    assert (error.message, error.hint) == ("`text` is missing", "The task or question in a sentence")


def test_an_unknown_argument_is_told_with_the_nearest_one_or_all() -> None:
    error = refused(SCHEMAS["recall"], {"txt": "x"})
    assert (error.message, error.hint) == ("there is no argument `txt`", "Did you mean `text`?")
    error = refused(SCHEMAS["handoff"], {"zzz": 1})
    assert error.hint == "There are goal, done, next."
    assert refused(SCHEMAS["memory_stats"], {"a": 1}).hint == "It takes none."


def test_an_unknown_argument_cannot_break_the_line_or_fill_it() -> None:
    error = refused(SEARCH, {"a\nb\x1b[31m" + "c" * 9999: 1})
    assert error.message.startswith("there is no argument `a")
    assert error.message.isprintable()
    assert len(error.message) < 200


@pytest.mark.parametrize(
    ("value", "kind"),
    [(5, "a number"), (True, "true or false"), (["x"], "a list"), ({"x": 1}, "an object"), (0.5, "a number")],
)
def test_a_text_is_not_made_of_something_else(value: object, kind: str) -> None:
    assert refused(SEARCH, {"query": value}).message == f"`query` should be a text, not {kind}"


def test_a_choice_names_the_others() -> None:
    assert checked(SEARCH, {"query": "x", "where": '"sessions"'})["where"] == "sessions"
    error = refused(SEARCH, {"query": "x", "where": "session\ns"})
    assert error.message == "`where` is one of notes, sessions, not 'session\\ns'"


def test_true_and_false_may_stand_in_quotes() -> None:
    for value, meant in {"true": True, '"False"': False, True: True, "TRUE": True}.items():
        assert checked(LESSON, {"type": "lesson", "negative": value})["negative"] is meant
    for value, kind in {"yes": "a text", 1: "a number"}.items():
        message = refused(LESSON, {"type": "lesson", "negative": value}).message
        assert message == f"`negative` should be true or false, not {kind}"


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.text('0123456789-". \n'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
_NAMES = sorted({name for schema in SCHEMAS.values() for name in schema["properties"]})


@given(
    st.sampled_from(sorted(SCHEMAS)),
    st.dictionaries(
        st.sampled_from(_NAMES) | st.text(), _VALUES | st.sampled_from(["fact", "notes"]), max_size=6
    ),
)
def test_whatever_a_host_passes_fits_the_schema_or_is_refused_in_a_line(
    tool: str, arguments: dict[str, Any]
) -> None:
    schema = SCHEMAS[tool]
    values, error = outcome(schema, arguments)
    if error:
        assert len(error.message.splitlines()) == 1
        assert not INVISIBLE.search(error.message + error.hint)
        return
    assert {*schema.get("required", ())} <= values.keys()
    assert all(fits(schema["properties"][name], value) for name, value in values.items())
    assert values.keys() <= arguments.keys()
    assert checked(schema, values).keys() == values.keys()


KINDS = {"string": str, "integer": int, "boolean": bool}


def fits(schema: dict[str, Any], value: Any) -> bool:
    """Whether a value is what JSON Schema says of it, with the words that our schemas use."""
    assert schema.keys() <= {"type", "enum", "minimum", "maximum", "description"}
    is_in_bounds = schema["type"] != "integer" or schema["minimum"] <= value <= schema.get("maximum", 10**9)
    return type(value) is KINDS[schema["type"]] and value in schema.get("enum", [value]) and is_in_bounds


def outcome(schema: dict[str, Any], arguments: dict[str, Any]) -> tuple[dict[str, Any], UsageError | None]:
    try:
        return checked(schema, arguments), None
    except UsageError as error:
        return {}, error
