"""Every agent in realistic homes: what was there is there again, with its rights and links, to the byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from connecting import put
from homes import HOMES, documents, fill, fresh, machine_of, own_files, snapshot, somebodys, upgraded, wanted
from long import rotating

from ctxrepo.agents import names
from ctxrepo.agents.wanted import SkillsFolder
from ctxrepo.errors import ConfigError, CtxrepoError
from ctxrepo.services.setup import setup, standings
from ctxrepo.services.setup.standings import check
from ctxrepo.storage.user import assets


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every agent trusts our hooks: whether it does is the matter of another test."""
    monkeypatch.setattr(standings, "find_distrust", lambda name, machine: None)


every_agent = pytest.mark.parametrize("agent", names())
every_home = pytest.mark.parametrize(
    ("agent", "make"),
    rotating(product(names(), HOMES)),
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)


@every_home
def test_a_home_is_as_it_was(home: Path, agent: str, make: Callable[[str, Path], None]) -> None:
    machine = machine_of(home)
    make(agent, home)
    before = snapshot(home)
    setup.apply(setup.plan(agent, machine))
    connected = snapshot(home)
    assert check(agent, machine).state == "current", check(agent, machine).findings
    assert connected != before
    assert setup.plan(agent, machine).changes == ()
    setup.apply(setup.plan(agent, machine))
    assert snapshot(home) == connected
    setup.apply(setup.removal(agent, machine))
    after = snapshot(home)
    if make is upgraded:
        for document in documents(agent, home):
            name = document.path.relative_to(home).as_posix()
            text = document.document.disconnect(before[name][2].decode())
            before[name] = (*before[name][:2], text.encode())
    assert after == before
    assert check(agent, machine).state == "absent"


@every_home
def test_an_edit_after_setup_stays_and_nothing_else(
    home: Path, agent: str, make: Callable[[str, Path], None]
) -> None:
    """A person adds hooks of theirs to each document by the agent's own rules, after ours."""
    machine = machine_of(home)
    make(agent, home)
    setup.apply(setup.plan(agent, machine))
    for document in documents(agent, home):
        if document.path.exists():
            document.path.write_bytes(document.path.read_bytes().replace(b"/opt/notify", b"/opt/other"))
    setup.apply(setup.removal(agent, machine))
    for document in documents(agent, home):
        if document.path.exists():
            left = document.path.read_bytes()
            assert b"ctxrepo/hook.py" not in left
            assert left.count(b"/opt/other") == somebodys(document).count("/opt/notify")
    assert check(agent, machine).state == "absent"


def first_file(agent: str, home: Path) -> Path:
    """The first document of the agent, or of files that are all ours where it has none."""
    return next(part.path for part in (*documents(agent, home), *own_files(agent, home)))


def link_to_nowhere(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.symlink_to("/unmounted/x")


UNREADABLE: dict[str, Callable[[Path], None]] = {
    "not UTF-8": lambda path: put(path, b'{"a": "\xff"}\n'),
    "a folder": lambda path: path.mkdir(parents=True),
    "read-only": lambda path: put(path, b"", 0o444),
    "a link to nowhere": link_to_nowhere,
}


@pytest.mark.parametrize("spoil", UNREADABLE.values(), ids=UNREADABLE)
@every_agent
def test_what_cannot_be_read_or_written_is_told_in_a_line_and_left(
    home: Path, agent: str, spoil: Callable[[Path], None]
) -> None:
    path = first_file(agent, home)
    spoil(path)
    is_own = path in [file.path for file in own_files(agent, home)]
    is_good_enough = is_own and path.is_file() and path.stat().st_mode & 0o222
    before = snapshot(home)
    if is_good_enough:  # a file that will be all ours may hold anything, and comes back
        setup.apply(setup.plan(agent, machine_of(home)))
        setup.apply(setup.removal(agent, machine_of(home)))
        assert snapshot(home) == before
        return
    with pytest.raises(CtxrepoError) as caught:
        setup.plan(agent, machine_of(home))
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message + caught.value.hint
    assert snapshot(home) == before


@every_agent
def test_comments_are_kept_or_the_document_is_left(home: Path, agent: str) -> None:
    machine = machine_of(home)
    fill(agent, home, lambda text: text.replace("{", "{ // mine, see https://example.org\n", 1).encode())
    before = snapshot(home)
    commented = [document for document in documents(agent, home) if b"// mine" in document.path.read_bytes()]
    try:
        setup.apply(setup.plan(agent, machine))
    except ConfigError:
        assert commented
        assert snapshot(home) == before
        return
    assert all(b"// mine" in document.path.read_bytes() for document in commented)
    assert check(agent, machine).state == "current"
    setup.apply(setup.removal(agent, machine))
    assert snapshot(home) == before


@every_agent
def test_a_folder_that_is_not_ours_to_write_to_is_left(commoner: Path, agent: str) -> None:
    fill(agent, commoner)
    machine = machine_of(commoner)
    folder = first_file(agent, commoner).parent
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o500)
    before = snapshot(commoner)
    with pytest.raises(CtxrepoError, match="isn't a folder one may write to"):
        setup.plan(agent, machine)
    assert snapshot(commoner) == before
    folder.chmod(0o700)


SHARING = [
    (name, other)
    for name in names()
    for other in names()
    if name != other
    and {w.path for w in wanted(name, Path("/h")) if isinstance(w, SkillsFolder)}
    & {w.path for w in wanted(other, Path("/h")) if isinstance(w, SkillsFolder)}
]
"""Agents that have a folder of skills in common."""


class TestSharedSkills:
    """Several agents read `~/.agents/skills`: what one has there stays while another has it too."""

    def connect(self, home: Path, *agents: str) -> None:
        for agent in agents:
            setup.apply(setup.plan(agent, machine_of(home)))

    def let_go(self, home: Path, *agents: str) -> None:
        for agent in agents:
            setup.apply(setup.removal(agent, machine_of(home)))

    def skills(self, home: Path) -> Path:
        return home / ".agents/skills"

    def test_there_are_agents_that_share(self) -> None:
        assert len(SHARING) > 1

    @pytest.mark.parametrize("theirs", [False, True], ids=["", "beside theirs"])
    @pytest.mark.parametrize(("left", "right"), rotating(SHARING))
    def test_the_last_one_takes_them_along(self, home: Path, left: str, right: str, theirs: bool) -> None:
        if theirs:
            put(self.skills(home) / "mine/SKILL.md", b"mine")
        for agent in (left, right):
            fresh(agent, home)
        before = snapshot(home)
        self.connect(home, left, right)
        both = snapshot(home)
        for first, last in ((left, right), (right, left)):
            self.let_go(home, first)
            assert (self.skills(home) / "memory-write/SKILL.md").is_file()
            assert check(last, machine_of(home)).state == "current"
            self.let_go(home, last)
            assert snapshot(home) == before
            self.connect(home, left, right)
            assert snapshot(home) == both

    @pytest.mark.parametrize(("left", "right"), rotating(SHARING))
    def test_a_skill_that_was_edited_stays_and_is_told_by_the_last(
        self, home: Path, left: str, right: str
    ) -> None:
        self.connect(home, left, right)
        skill = self.skills(home) / "memory-write/SKILL.md"
        skill.write_text("mine")
        for agent in (left, right):
            plan = setup.plan(agent, machine_of(home))
            assert not plan.visible
            assert any("memory-write" in notice for notice in plan.notices)
        first, last = (setup.removal(agent, machine_of(home)) for agent in (left, right))
        assert not any(str(skill) in notice for notice in first.notices)
        setup.apply(first)
        last = setup.removal(right, machine_of(home))
        assert any(str(skill) in notice for notice in last.notices)
        setup.apply(last)
        assert skill.read_text() == "mine"
        assert [p.name for p in self.skills(home).iterdir()] == ["memory-write"]

    @pytest.mark.parametrize("is_first_gone_first", [False, True])
    @pytest.mark.parametrize(("left", "right"), rotating(SHARING))
    def test_one_of_a_newer_version_brings_them_up_to_date_for_all(
        self,
        home: Path,
        left: str,
        right: str,
        is_first_gone_first: bool,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        fresh(left, home)
        fresh(right, home)
        before = snapshot(home)
        shipped = assets.files
        oldest = {"memory-write/SKILL.md": b"oldest", "gone/SKILL.md": b"oldest"}
        for skills, agents in ((oldest, (left, right)), ({"memory-write/SKILL.md": b"old"}, (left,))):
            with monkeypatch.context() as patch:
                patch.setattr(
                    assets, "files", lambda name, now=skills: now if name == "skills" else shipped(name)
                )
                self.connect(home, *agents)
        # `right` has noted the oldest; what `left` wrote since is no edit of a person's.
        assert setup.plan(right, machine_of(home)).notices == ()
        self.connect(home, left)
        paths = {p.relative_to(self.skills(home)).as_posix() for p in self.skills(home).rglob("*.md")}
        assert paths == set(shipped("skills"))
        plan = setup.plan(right, machine_of(home))
        assert (plan.visible, plan.notices) == ((), ())
        assert check(right, machine_of(home)).state == "current"
        first, last = (left, right) if is_first_gone_first else (right, left)
        self.let_go(home, first)
        # Skills that only the newer version has went with the agent whose setup brought them.
        assert check(last, machine_of(home)).state == ("stale" if first == left else "current")
        self.let_go(home, last)
        assert snapshot(home) == before

    @pytest.mark.parametrize(("left", "right"), rotating(SHARING))
    def test_a_lost_receipt_does_no_harm_to_the_other(self, home: Path, left: str, right: str) -> None:
        self.connect(home, left, right)
        (home / f".config/ctxrepo/receipts/{left}.json").unlink()
        self.let_go(home, left)
        assert check(right, machine_of(home)).state == "current"
        self.let_go(home, right)
        assert not [path for path in self.skills(home).rglob("*") if path.is_file()]


def test_an_agent_whose_folder_cannot_be_told_is_among_all(home: Path) -> None:
    machine = replace(machine_of(home), environment={"CLAUDE_CONFIG_DIR": "not/absolute"})
    assert "claude" in setup.present(machine)


def test_programs_that_were_never_started_are_known_by_their_names(home: Path, tmp_path: Path) -> None:
    for name in names():
        put(tmp_path / f"bin/{name}", b"#!/bin/sh\n", 0o755)
    machine = replace(machine_of(home), environment={"PATH": str(tmp_path / "bin")})
    fresh("claude", home)
    assert setup.unstarted(machine) == tuple(name for name in names() if name != "claude")
    assert setup.unstarted(machine_of(home)) == ()
