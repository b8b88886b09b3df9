"""Which facts are remarked upon: those that the code or the history says itself, and orders."""

from __future__ import annotations

import pytest

from ctxrepo.domain.doubts.remarks import remarks

CODE, HISTORY, ORDER = "code says this", "history does", "as an order"


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
def test_remarks(text: str, category: str, remark: str) -> None:
    told = " ".join(remarks(text, category))
    assert (remark in told) if remark else not told, told
