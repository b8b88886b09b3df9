"""A prompt asks the warm helper, which knows meanings: within a few hundredths of a second, or never."""

import _socket
import _sqlite3
import os
import time

from ctxrepo.hot.query import Hit

SOCKET, LOCK = "warm.sock", "warm.lock"
"""In the state folder of a repository; the lock is held by the helper that answers there."""

PATIENCE = 0.04
"""Seconds for asking and for the whole answer."""

MOST_ASKED, MOST_ANSWERED = 64 * 1024, 256 * 1024
"""Bytes of a line in each direction."""

MOST_READ = 8000
"""Characters of a prompt that are sent, and of the earlier ones together."""

_LONGEST_PATH = 100
"""Bytes of a socket's address: Linux takes 107, macOS 103."""

_FIELDS = (str, str, str, int, int, str, str, str, float)

_Answer = tuple[str, list[Hit], list[tuple[Hit, str]]]

_ASKED = """
    select json_object('key', ?, 'prompt', ?, 'before', (select json_group_array(value) from json_each(?)),
        'scopes', json(?), 'limit', ?, 'gated', json(?))"""
_SAID = "select json_extract(?1, '$.key'), json_extract(?1, '$.why')"
_HITS = """
    select h.key, json_extract(h.value, '$[0]'), json_extract(h.value, '$[1]'), json_extract(h.value, '$[2]'),
        json_extract(h.value, '$[3]'), json_extract(h.value, '$[4]'), json_extract(h.value, '$[5]'),
        json_extract(h.value, '$[6]'), json_extract(h.value, '$[7]'), json_extract(h.value, '$[8]'),
        json_extract(h.value, '$[9]')
    from json_each(?, ?) h"""
