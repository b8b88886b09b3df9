"""check and doctor, as a person meets them."""

from __future__ import annotations

from terminal import Terminal


def test_all_is_well(cli: Terminal) -> None:
    cli("remember", "a fact")
    assert (cli("check").code, cli("check").out) == (0, "nothing to mend\n")
    assert (cli("doctor").code, cli("doctor").out) == (0, "all is well\n")


def test_1_each_finding_names_its_place_and_what_helps(cli: Terminal) -> None:
    cli.machine.write("global/torn.md", "---\nnever: closed\n")
    cli.machine.write("global/marks.md", "- a\n<<<<<<< ours\n- b\n")
    said = cli("check")
    assert said.code == 1
    assert said.out == (
        "global/marks.md:2: a conflict marker. Keep what holds and remove the marker lines.\n"
        "global/torn.md:1: frontmatter is opened on line 1 and never closed. "
        "End it with a line `---`; until then all of it is body.\n"
    )
    found = cli("check", "--json").data["findings"]
    assert [set(f) for f in found] == [{"path", "line", "problem", "remedy"}] * 2


def test_1_doctor_names_what_keeps_the_memory_from_working(cli: Terminal) -> None:
    cli.machine.git("config", "core.sshCommand", "touch pwned")
    (cli.machine.home / ".claude").mkdir()
    said = cli("doctor")
    assert said.code == 1
    assert "sets core.sshcommand" in said.out
    assert "claude is here and not connected\n  `ctxrepo setup claude`" in said.out
