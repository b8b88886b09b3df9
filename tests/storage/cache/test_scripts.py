"""What is indexed is found by whatever is the same word, in every script: by prompts and by searches."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.recall.prompt_query import find
from ctxrepo.storage.cache.cache import Cache
from ctxrepo.storage.cache.entries import entries_by_letters, entries_by_words

ENTRIES = {
    "Das Straßenverkehrsamt prüft die Größe": [
        "Strassenverkehrsamt",
        "STRASSENVERKEHRSAMT",
        "GRÖSSE",
        "grosse",
    ],
    "La clé du café est près du mur": ["CAFE", "pres", unicodedata.normalize("NFD", "café")],
    "Ёлка стоит у двери": ["елка", "ЕЛКА", "ёлка"],
    "Ο λόγος γράφεται εδώ": ["λογος", "ΛΟΓΟΣ", "λόγοσ"],
    "تُنْشَر الأخبار صباحا": ["تنشر", "الاخبار", "أخبار"],
    "می\u200cخواهم کتاب را": ["میخواهم", "ميخواهم", "كتاب"],
    "השרת שָׁלוֹם עומד בחדר": ["שרת", "שלום", "חדר"],
    "ＡＰＩ　ｋｅｙ は社内": ["api", "API key", "社内"],
    "İstanbul sunucusu ılık": ["istanbul", "ISTANBUL", "ilik"],
    "किताब की क़ीमत": ["किताब", "कीमत"],
    "เซิร์ฟเวอร์สำรองอยู่ที่เชียงใหม่": ["เชียงใหม่", "เซิร์ฟเวอร์"],
    "备份每晚三点跑": ["备份", "每晚"],
    "本番の移行は金曜日": ["移行", "金曜日"],
    "게임 서버는 도쿄": ["게임", "서버", "도쿄"],
    "API配置放在C盘的conf目录": ["C盘", "conf"],
    "ﾊﾞｯｸｱｯﾌﾟは毎晩": ["バックアップ"],
    "Straßen\xadbahn\u200bhof am Eck": ["strassenbahnhof"],
}
ASKED = [(text, word) for text, words in ENTRIES.items() for word in words]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scripts") / "cache.db"


@pytest.fixture(scope="module")
def cache(path: Path) -> Iterator[Cache]:
    filler = [Note(f"shop/f{n}.md", f"- filler number {n} says nothing\n") for n in range(30)]
    notes = [Note(f"shop/n{n}.md", f"- {text}\n") for n, text in enumerate(ENTRIES)]
    made = Cache.open(path)
    made.apply("c1", [*notes, *filler], [], Marks())
    yield made
    made.close()


@pytest.mark.parametrize(("text", "word"), ASKED)
def test_a_prompt_finds_the_entry(cache: Cache, path: Path, text: str, word: str) -> None:
    db = open_cache(str(path))
    assert db is not None
    assert text in [hit.text.removeprefix("- ") for hit in find(db, word, ["shop"], 8)]
    db.close()


@pytest.mark.parametrize(("text", "word"), ASKED)
def test_a_search_finds_it(cache: Cache, text: str, word: str) -> None:
    words = word.split()
    hits = [*cache.ask(entries_by_words, words, 50), *cache.ask(entries_by_letters, words)]
    assert text in [cached.entry.text.removeprefix("- ") for cached, _, _ in hits]


def test_the_index_is_sound_with_them(cache: Cache) -> None:
    assert cache.is_sound()
