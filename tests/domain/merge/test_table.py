"""ctxrepo.toml merged by its keys."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from merging import sides

from ctxrepo.domain.formats import toml, toml_edit
from ctxrepo.domain.merge import merge_file
from ctxrepo.domain.merge.file import merge_table
from ctxrepo.domain.project import registry

Tables = dict[str, dict[str, object]]

PATH = "ctxrepo.toml"
BASE = 'format = 1  # of the repository\n\n[projects]\n# the shop\n"git.example/shop" = "shop"\n'


merge = partial(sides.merge, PATH)
merged_text = partial(sides.merged_text, PATH)


def test_projects_registered_on_both_sides_are_both_there() -> None:
    ours = registry.with_project(BASE, "git.example/a", "a")
    theirs = registry.with_project(BASE, "git.example/b", "b")
    text = merged_text(BASE, ours, theirs)
    assert registry.parse(text).projects == {
        "git.example/shop": "shop",
        "git.example/a": "a",
        "git.example/b": "b",
    }
    assert "# the shop\n" in text
    assert "# of the repository\n" in text


def test_both_sides_make_the_file() -> None:
    ours, theirs = (registry.with_project("", f"git.example/{name}", name) for name in "ab")
    merged = merge_file(PATH, None, ours.encode(), theirs.encode())
    assert registry.parse((merged.data or b"").decode()).projects == {
        "git.example/a": "a",
        "git.example/b": "b",
    }


def test_unknown_tables_and_keys_are_kept() -> None:
    ours, theirs = BASE + "\n[policy]\nmax = 3\n", "colour = 'red'\n" + BASE + "\n[[more]]\nx = 1\n"
    assert toml.read(merged_text(BASE, ours, theirs)) == {
        "colour": "red",
        "format": 1,
        "projects": {"git.example/shop": "shop"},
        "policy": {"max": 3},
        "more": [{"x": 1}],
    }


def test_a_removed_project_stays_removed() -> None:
    ours = "format = 1\n\n[projects]\n"
    assert merged_text(BASE, ours, BASE + "\n[policy]\nmax = 3\n").count("shop") <= 1  # the comment may stay
    theirs = registry.with_project(BASE, "git.example/b", "b")
    assert registry.parse(merged_text(BASE, ours, theirs)).projects == {"git.example/b": "b"}


def test_of_two_folders_for_one_project_one_stays_and_the_other_is_put_aside() -> None:
    ours, theirs = BASE.replace('= "shop"', '= "store"'), BASE.replace('= "shop"', '= "market"')
    merged = merge(BASE, ours, theirs)
    assert merged.data == ours.encode()
    assert [(a.kept, a.other) for a in merged.conflict_copies] == [
        ('projects.git.example/shop = "store"', 'projects.git.example/shop = "market"')
    ]


def test_what_is_no_toml_is_put_aside_whole() -> None:
    broken, theirs = BASE + "[", registry.with_project(BASE, "git.example/b", "b")
    merged = merge(BASE, broken, theirs)
    assert merged.data == theirs.encode()
    assert [a.other for a in merged.conflict_copies] == [broken]


def test_what_cannot_be_put_together_is_put_aside_whole() -> None:
    ours, theirs = BASE + "\n[policy]\nx = 1\n", "policy = 3\n" + BASE
    merged = merge(BASE, ours, theirs)
    others = {copy.other.encode() for copy in merged.conflict_copies}
    assert {merged.data, *others} == {
        ours.encode(),
        theirs.encode(),
    }


values = st.one_of(st.integers(-3, 3), st.sampled_from(["a", "b"]), st.booleans(), st.just([1, 2]))
tables = st.dictionaries(
    st.sampled_from(["", "projects", "policy"]), st.dictionaries(st.sampled_from(["x", "y/z", "a.b"]), values)
)


@given(tables, tables, tables)
def test_a_merged_file_is_settled(was: Tables, us: Tables, them: Tables) -> None:
    base, ours, theirs = map(written, (was, us, them))
    merged = merge(base, ours, theirs)
    assert merged.data is not None
    assert merge(base, merged.data.decode(), ours).data == merged.data
    now = toml.read(merged.data.decode())
    for table, fields in us.items():
        for key, value in fields.items():
            if key not in was.get(table, {}) and key not in them.get(table, {}):
                assert (now if not table else now[table])[key] == value


def written(tables: Tables) -> str:
    text = ""
    for table, fields in sorted(tables.items()):
        for key, value in fields.items():
            text = toml_edit.with_value(text, table, key, value)
    return text


def test_a_key_that_stays_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reads the whole file: whoever can push decides how many there are."""
    written: list[str] = []
    with_value = toml_edit.with_value

    def counted(text: str, table: str, key: str, value: object) -> str:
        written.append(key)
        return with_value(text, table, key, value)

    monkeypatch.setattr(toml_edit, "with_value", counted)
    theirs = "[projects]\n" + "".join(f'"p{n}" = "q{n}"\n' for n in range(300))
    for ours in ('[projects]\n"a" = "a"\n', '[projects]\n"z" = "z"\n'):
        merged = merge_table("ctxrepo.toml", "", ours, theirs)
        assert merged
        assert len(toml.read(merged[0])["projects"]) == 301
    assert sorted(written) == ["a", "z"]
