"""`ctxrepo demo` says what it has made and how to look around; each way works, and it says why it refuses."""

from __future__ import annotations

import shlex
import subprocess

import pytest
from machines import Machine


@pytest.mark.slow
def test_each_way_that_it_names_works(ada: Machine) -> None:
    run = ada.ctxrepo("demo", "made up", cwd=ada.home)
    summary, hint, *ways = run.stdout.splitlines()
    folder = ada.home / "made up"
    assert summary == f"made {folder}: 3 projects on 4 machines, 28 days"
    assert hint.endswith("delete the folder:")
    assert len(ways) > 4
    for way in map(shlex.split, ways):
        assert way[0] == str(folder / "ctxrepo")
        answer = subprocess.run(way, cwd=ada.home, env=ada.env, capture_output=True, text=True)
        assert answer.returncode == 0, answer.stderr
        assert answer.stdout
    assert not ada.clone.exists()
    assert not ada.places.state.exists()


def test_it_refuses_a_folder_with_something_in_it_in_one_sentence(ada: Machine) -> None:
    run = ada.ctxrepo("demo", str(ada.project_folder), cwd=ada.home)
    assert run.returncode == 2
    assert run.stdout == ""
    first, second = run.stderr.splitlines()
    assert first == f"ctxrepo: {ada.project_folder} is not an empty folder"
    assert "ctxrepo demo FOLDER" in second
