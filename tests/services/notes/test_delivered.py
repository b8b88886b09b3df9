"""How each note is in the packet, read from the packet alone."""

from __future__ import annotations

from machines import Machine

from ctxrepo.services.delivery.start_packet import Start, context
from ctxrepo.services.notes.list_notes import delivered


def test_whole_cut_by_a_line_or_not(ada: Machine) -> None:
    ada.init()
    ada.write("global/MEMORY.md", "- short\n")
    ada.write("shop/MEMORY.md", "".join(f"- line {n} of many that are too long in all\n" for n in range(200)))
    ada.write("shop/topics/a — b.md", "---\ndescription: With [brackets] — and more\ntags: [x]\n---\n- x\n")
    ada.write("shop/topics/#odd <b>.md", "- x\n")
    ada.write("shop/SCRATCHPAD.md", "- [ ] to do\n")
    ada.write("shop/archive/old.md", "- x\n")
    ada.remember("registers the project", category="gotcha")
    ada.sync()
    fidelities = delivered(context(ada.open(), ada.project(), Start(ada.project_folder)).text)
    assert fidelities == {
        "global/MEMORY.md": "whole",
        "shop/MEMORY.md": "cut",
        "shop/SCRATCHPAD.md": "whole",
        "shop/topics/a — b.md": "line",
        "shop/topics/#odd <b>.md": "line",
        "shop/topics/gotcha.md": "line",
    }


def test_nothing_is_in_nothing() -> None:
    assert delivered("") == {}
