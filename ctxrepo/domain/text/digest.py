"""BLAKE2 as in `hashlib`, without loading OpenSSL, which takes a fifth of a start of Python."""

from _blake2 import blake2b as blake2b
