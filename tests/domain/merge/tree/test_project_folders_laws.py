"""Whatever two machines rename, link, begin and write: each fact is where its project is."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st
from trees import Files, merge, merged_tree

from ctxrepo.domain.project import registry
from ctxrepo.domain.project.layout import moved_path

A, B, C = (f"git.example/{name}" for name in "abc")
NAMES = ("shop", "store", "mart")


@dataclass
class Side:
    """A machine's tree, on which a person acts; `facts` is (project, line) of what was written."""

    files: dict[str, str]
    facts: list[tuple[str, str]] = field(default_factory=list)

    @property
    def known(self) -> registry.Registry:
        return registry.parse(self.files["ctxrepo.toml"])

    def write(self, project: str, name: str, line: str) -> None:
        folder = self.known.folder_of(project)
        if not folder:
            there = {path.split("/")[0] for path in self.files}
            folder = registry.folder_for(project, self.known, there)
            text = registry.with_project(self.files["ctxrepo.toml"], project, folder)
            self.files["ctxrepo.toml"] = text
        path = f"{folder}/{name}"
        self.files[path] = self.files.get(path, "") + f"- {line}\n"
        self.facts.append((project, f"- {line}"))

    def rename(self, project: str, new: str) -> None:
        project = self.known.canonical(project)
        if not any(path.startswith(f"{new}/") for path in self.files) and project in self.known.projects:
            self._move(self.known.projects[project], new)
            text = registry.with_project(self.files["ctxrepo.toml"], project, new)
            self.files["ctxrepo.toml"] = text

    def link(self, project: str, to: str) -> None:
        folder = self.known.folder_of(to)
        if folder and self.known.canonical(to) != self.known.canonical(project):
            if own := self.known.projects.get(project):
                self._move(own, folder)
            text = registry.with_project(self.files["ctxrepo.toml"], project, None)
            self.files["ctxrepo.toml"] = registry.with_alias(text, project, self.known.canonical(to))

    def _move(self, old: str, new: str) -> None:
        for path in [path for path in self.files if path.startswith(f"{old}/")]:
            to = moved_path(path, old, new)
            self.files[to] = self.files.get(to, "") + self.files.pop(path)


deeds = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from([A, B, C]), st.sampled_from(["M.md", "x.md"])),
        st.tuples(st.just("rename"), st.sampled_from([A, B]), st.sampled_from(NAMES)),
        st.tuples(st.just("link"), st.sampled_from([B, C]), st.just(A)),
    ),
    max_size=4,
)


def acted(base: Files, who: str, wanted: list[tuple[str, str, str]]) -> Side:
    side = Side(dict(base))
    for number, (deed, project, more) in enumerate(wanted):
        if deed == "write":
            side.write(project, more, f"{who} {number} writes of {project[-1]}")
        elif deed == "rename":
            side.rename(project, more)
        else:
            side.link(project, more)
    return side


@given(deeds, deeds, deeds)
def test_each_fact_is_where_its_project_is(
    before: list[tuple[str, str, str]], first: list[tuple[str, str, str]], second: list[tuple[str, str, str]]
) -> None:
    base = acted({"ctxrepo.toml": "format = 1\n"}, "base", [("write", A, "M.md"), *before])
    ours, theirs = acted(base.files, "one", first), acted(base.files, "other", second)
    tree = merged_tree(base.files, ours.files, theirs.files)
    known = registry.parse(tree["ctxrepo.toml"])
    for project, line in (*base.facts, *ours.facts, *theirs.facts):
        places = [path for path, text in tree.items() if line in text.splitlines()]
        assert [path.split("/")[0] for path in places] == [known.folder_of(project)], (line, tree)
    assert not merge(base.files, ours.files, theirs.files).conflict_copies
    folders = list(known.projects.values())
    assert len(set(folders)) == len(folders)
