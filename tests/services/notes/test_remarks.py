"""What a writer is told beside the fact: what of the memory bears on it, and what is better left unsaid."""

from __future__ import annotations

from datetime import timedelta

import pytest
from machines import NOW, Machine

from ctxrepo.domain.project.target import Target, parse_entry, parse_target
from ctxrepo.services.notes.remarks import Near, RememberResult, remarks, remarks_on_words
from ctxrepo.services.notes.requests import Fact
from ctxrepo.services.saving.commit import commit

CODE, HISTORY, ORDER = "code says this", "history does", "as an order"


@pytest.fixture
def mine(ada: Machine) -> Machine:
    ada.init()
    return ada


def test_nearly_the_same_words_are_told(mine: Machine) -> None:
    result = mine.remember("the redis port of the test suite is 6380")
    assert mine.remember("The redis port of the TEST suite is 6381").near == (Near(result.id, result.at),)
    assert mine.remember("deploys happen on Fridays").near == ()


@pytest.mark.parametrize("is_committed", [False, True])
def test_the_same_words_in_another_note_of_the_scope_are_told_and_written(
    mine: Machine, is_committed: bool
) -> None:
    result = mine.remember("Deploy with `make ship` on_Tuesdays", note=parse_target("topics/ops"))
    mine.remember("Deploy with `make ship` on_Tuesdays", scope="global")
    archived = mine.remember("deploy with `make ship` on_Tuesdays", note=parse_target("archive/old"))
    if is_committed:
        commit(mine.open(), NOW)
    again = mine.remember("DEPLOY with `make ship` on_Tuesdays")
    assert again.near == (Near(result.id, result.at),)
    assert archived.near == (Near(result.id, result.at),)
    assert not again.existing
    assert mine.remember("Ship with care before each weekend", note=parse_target("x")).near == ()


def test_another_entry_with_the_key_is_told_and_stays(mine: Machine) -> None:
    mine.write("shop/MEMORY.md", "- port: 80\n- port: 81\n- ports: all\n")
    commit(mine.open(), NOW)
    done = mine.remember("82", key="port")
    assert done.was == ("port: 80",)
    assert [near.at for near in done.rivals] == ["shop/MEMORY.md#L2"]
    assert mine.read("shop/MEMORY.md") == "- port: 82\n- port: 81\n- ports: all\n"
    assert [near.at for near in mine.remember("82", key="port").rivals] == ["shop/MEMORY.md#L2"]


def test_who_overfills_a_memory_file_is_told_once(ada: Machine) -> None:
    ada.init()
    answers = [ada.ctxrepo("remember", f"{number} {'some words ' * 85}").stderr for number in range(5)]
    warnings = ["a session is shown 3,072 at most" in answer for answer in answers]
    assert warnings == [False, False, False, True, False]
    assert "shop/MEMORY.md: of its 3," in answers[3]
    elsewhere = ada.ctxrepo("remember", "some words " * 400, "-c", "gotcha")
    assert "3,072" not in elsewhere.stderr


def told(done: RememberResult) -> list[str]:
    return [line for line in remarks([done]) if "beside this" in line]


@pytest.mark.parametrize("words", ["deploy: flux", "Deploy: flux", "[gotcha] deploy: flux"])
def test_a_fact_that_reads_like_a_value_of_a_key_names_the_one_that_holds(mine: Machine, words: str) -> None:
    first = mine.remember("argo", key="deploy")
    done = mine.remember(words, category="" if "[" in words else "gotcha")
    (line,) = told(done)
    assert line.startswith(f"^{first.id} at {first.at} is the value of the key ")
    assert told(mine.remember(words, category="" if "[" in words else "gotcha")) == []  # it is there already


def test_only_a_key_that_a_command_gave_and_a_value_that_holds_in_the_scope_count(mine: Machine) -> None:
    mine.remember("Note: one of many")
    assert told(mine.remember("Note: another one")) == []
    old = mine.remember("argo", key="deploy")
    assert told(mine.remember("deploy: flux", scope="global")) == []
    assert told(mine.remember("deploy: jenkins", supersedes=Target(entry_id=old.id))) == []


def test_what_was_superseded_already_names_what_holds_in_its_place(
    mine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = mine.remember("the port is 1")
    name = Target(entry_id=first.id)
    second = mine.remember("the port is 2", supersedes=name)
    commit(mine.open(), NOW)
    monkeypatch.setattr("machines.NOW", NOW + timedelta(seconds=1))  # of two records the later one holds
    done = mine.remember("the port is 3", supersedes=name)
    (line,) = told(done)
    assert line.startswith(f"^{second.id} at {second.at} superseded that already")
    again = mine.remember("the port is 3", supersedes=Target(entry_id=second.id))
    assert (again.existing, again.replaced, told(again)) == (True, (second.id,), [])
    forget_again = mine.remember("the port is 4", supersedes=name)
    assert [near.id for near in forget_again.superseded_by] == [done.id]


@pytest.mark.parametrize("is_committed", [True, False])
def test_the_entry_that_a_fact_may_replace_is_named_wherever_it_stands(
    mine: Machine, is_committed: bool
) -> None:
    old = mine.remember("The payment service times out after 30 seconds", category="gotcha")
    mine.remember("Deploys go out on Tuesdays from the release branch")
    mine.remember("The search index is rebuilt nightly at 02:00", category="fact")
    if is_committed:
        mine.ctxrepo("list")
    new = "The PAYMENT service times out after 60 seconds, since the gateway moved"
    assert [near.id for near in mine.remember(new).near] == [old.id]
    assert mine.remember("Payments are settled at the end of each month").near == ()
    mine.remember(new, supersedes=parse_entry(f"^{old.id}"))
    assert old.id not in [near.id for near in mine.remember(new.replace("60", "90"), category="x").near]


def test_a_topic_that_grows_too_long_is_told_once_how_to_split(mine: Machine) -> None:
    path = "global" if mine.project() is None else "shop"
    mine.write(f"{path}/topics/gotcha.md", "- " + "long\n- ".join(["x" * 99] * 112) + "\n")
    remarks = [
        mine.remember(f"{n} is a fact of some length, {n * 97}", category="gotcha").overfills
        for n in range(9)
    ]
    (line,) = filter(None, remarks)
    assert "ctxrepo move ^ID topics/NAME.md" in line


@pytest.mark.parametrize(
    ("text", "category", "remark"),
    [
        ("The project uses TypeScript", "", CODE),
        ("We use Postgres.", "", CODE),
        ("Tests are in src/tests", "", CODE),
        ("The API handlers live in the `src/api` folder.", "", CODE),
        ("`src/api` contains the handlers", "", CODE),
        ("`npm run build`", "", CODE),
        ("Run `make test` to run the tests", "", CODE),
        ("Fixed the login bug", "", HISTORY),
        ("Today we've added retries to the client", "", HISTORY),
        ("Always use tabs", "", ORDER),
        ("Don't touch migrations", "gotcha", ORDER),
        ("Always use tabs", "preference", ""),
        ("Never deploy on Fridays because nobody is there", "", ""),
        ("We use Postgres 14 in production, since 15 broke the extension", "", ""),
        ("Tests need redis on port 6380", "gotcha", ""),
        ("The tests in src/tests need a running redis, or they hang", "", ""),
        ("Go live is on Mondays", "", ""),
        ("make sure is a word", "", ORDER),
        ("`make test` needs redis, or it hangs for a minute without a word about it", "", ""),
        ("Addresses are normalised before they are compared", "", ""),
    ],
)
def test_words_that_are_remarked_upon(text: str, category: str, remark: str) -> None:
    remarks = " ".join(remarks_on_words(Fact(text, category=category)))
    assert (remark in remarks) if remark else not remarks, remarks
