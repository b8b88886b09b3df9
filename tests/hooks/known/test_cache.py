"""What the cache's writer and its readers agree on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxrepo.domain.note.note import Note
from ctxrepo.domain.working.checklist import items_of
from ctxrepo.hooks.known.cached import box_of

LINES = st.lists(
    st.sampled_from(
        [
            *("- [ ] one", "* [x] two", "+ [X] three", "1. [ ] four", "2) [x] five", "-\t[ ]\tsix", "- [ ]"),
            *("- [ ]seven", "- [!] eight", "- [x](nine.md)", "- [wiki] ten", "  - [ ] below", "  - below"),
            *("- plain", "plain", "", "# Heading", "[ ] eleven", "   - [ ] twelve", "1234567890. [ ] much"),
        ]
    ),
    max_size=12,
)


@given(LINES)
def test_an_entry_has_a_box_when_it_begins_an_item(lines: list[str]) -> None:
    note = Note("shop/SCRATCHPAD.md", "\n".join(lines) + "\n")
    items = {item.line + 1: item.is_done for item in items_of(note.path, note.text)}
    for entry in note.entries:
        box = box_of(entry.text)
        assert (entry.first_line in items) == bool(box)
        assert items.get(entry.first_line, False) == (box in ("x", "X"))
