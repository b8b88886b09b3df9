"""check: findings and mends as a person, and a program, gets them."""

from __future__ import annotations

from terminal import Terminal

TABS = "---\ndescription: d\nx:\n\ty: 1\n---\n- a\n"


def test_the_dry_run_shows_what_fix_then_does(cli: Terminal) -> None:
    cli.machine.write("global/x.md", TABS)
    cli.machine.write("global/markers.md", "<<<<<<< a\n")
    shown = cli("check", "--fix", "--dry-run")
    assert shown.code == 1
    assert "--- global/x.md\n+++ global/x.md\n" in shown.out
    assert "-\ty: 1\n+  y: 1\n" in shown.out
    assert "would fix global/x.md: frontmatter is indented with spaces\n" in shown.out
    assert cli.machine.read("global/x.md") == TABS
    assert cli.woken == []
    answer = cli("check", "--fix")
    assert answer.code == 1
    assert answer.out.startswith(shown.out[: shown.out.index("would fix")] + "fixed global/x.md: ")
    assert answer.out.count("global/markers.md:1: a conflict marker") == 1
    assert cli.machine.read("global/x.md") == TABS.replace("\t", "  ")
    assert len(cli.woken) == 1
    cli.machine.write("global/markers.md", "- b\n")
    again = cli("check", "--fix")
    assert (again.code, again.out, len(cli.woken)) == (0, "nothing to fix\n", 1)


def test_a_program_gets_deeds_and_what_is_left(cli: Terminal) -> None:
    cli.machine.write("global/x.md", "---\ntags: a\nupdated: never\n---\n- a\n")
    answer = cli("check", "--fix", "--json")
    assert answer.code == 1
    (fixed,), (finding,) = answer.data["fixed"], answer.data["findings"]
    assert (fixed["path"], fixed["deeds"]) == ("global/x.md", ["tags are a list"])
    assert "+tags: [a]" in fixed["diff"]
    assert (finding["path"], finding["line"], finding["problem"]) == ("global/x.md", 3, "updated is no date")
    assert "fixed" not in cli("check", "--json").data


def test_a_diff_shows_nothing_that_acts_on_the_terminal(cli: Terminal) -> None:
    cli.machine.write("global/x.md", "---\ntags: a\n---\n- \x1b[2J\n")
    answer = cli("check", "--fix")
    assert (answer.code, "\x1b" in answer.out, r"\u{1b}[2J" in answer.out) == (0, False, True)


def test_a_dry_run_of_nothing_is_refused(cli: Terminal) -> None:
    answer = cli("check", "--dry-run")
    assert (answer.code, answer.is_one_line()) == (2, True)


def test_what_is_kept_beside_the_notes_is_marked_as_generated_where_people_review(cli: Terminal) -> None:
    cli.machine.write(".gitattributes", "* -text\n")
    assert cli("check").out == "nothing to fix\n"
    config = cli.machine.places.config_file
    config.write_text(config.read_text().replace("[[repository]]\n", '[[repository]]\nreview = "branch"\n'))
    answer = cli("check")
    assert answer.code == 0
    assert answer.out.startswith(
        ".gitattributes: note: forges show reviewers what ctxrepo keeps beside the notes. "
    )
    assert "fixed .gitattributes: marks what" in cli("check", "--fix").out
    assert cli.machine.read(".gitattributes").startswith("* -text\n# Kept by ctxrepo")
    assert cli("check", "--fix").out == "nothing to fix\n"
    (cli.machine.clone / ".gitattributes").unlink()
    assert "fixed .gitattributes" in cli("check", "--fix").out
