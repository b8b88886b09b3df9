"""Whether letters stand together as in words, in any of the languages that are written with them."""

from __future__ import annotations

from itertools import pairwise

from ctxrepo.lazy import lazy_pattern

_RUN = lazy_pattern(rb"[A-Z]?[a-z]+|[A-Z]+")
_ROWS = """
    aq bbcdfghkmnpqtvwxz cbdfgmnpqvwx dbcfghjkmqtvwx fbcdghjkmnpqvwxyz gbcdfjkmpqtvwxyz hbcfghlmnpqsvwxyz iqy
    jbcdfghjklmnpqrtvwxyz kbcdfgjmpqvwxz lbcfhjqrwxz mcdfghjklqrtvwxyz nbqrwxz oqxy pbcdfgjkmnqvwxz
    qabcdefghijklmnopqrstvwxyz rqx sbdgqwx tbdfgjqvxz uhqwxyz vbcdfghjklmnpqrstvwxyz wbcdfghjklmpqtuvwxz
    xbdfghjklmnqrsvwxyz ybfgoquvxz zbcdfghjklmpqrstvxz
"""
_RARE = {row[0]: frozenset(row[1:].encode()) for row in _ROWS.split()}
"""A letter, and those that hardly ever follow it: fewer than 3 in 10,000 pairs, half of a random one's."""


def is_gibberish(value: bytes) -> bool:
    """Whether at least every fifth pair of letters, and two or more, stand together in hardly any word."""
    pairs = rare = 0
    for run in _RUN.findall(value):
        run = run.lower().decode()
        pairs += len(run) - 1
        rare += sum(ord(b) in _RARE.get(a, b"") for a, b in pairwise(run))
    return rare >= 2 and rare * 5 >= pairs
