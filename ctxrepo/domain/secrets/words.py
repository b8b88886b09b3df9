"""The words around secrets, by what they say of one; `secret.words` has them, in many languages."""

from ctxrepo.domain.formats.blocks import blocks_beside

WORDS = next(blocks_beside(__spec__, "secret.words")).fields
