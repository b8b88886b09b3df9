"""The dose: how many entries a prompt is given follows how far the best one stands out.

A verdict, all or nothing, errs by whole blocks. Nearly all that is given without need is on topic, and hurts
by its length alone; so a prompt that hardly stands out is given one entry, and more the more it does
(docs/adr/0049-a-dose-of-recall.md). `tools/recall/dose.py` prints what other numbers would come to.
"""


class Dose:
    """`margin` is what the best entry reaches, as a multiple of what prompts find by chance."""

    __slots__ = ("least", "per_margin", "share")

    def __init__(self, least: float, per_margin: float, share: float) -> None:
        self.least = least
        """The margin from which an entry is given."""
        self.per_margin = per_margin
        """How many more are given for each 1.0 of margin above that."""
        self.share = share
        """An entry below this share of the best score is left out."""

    def entries(self, margin: float, most: int) -> int:
        """How many entries, of `most` at most."""
        if not margin >= self.least:
            return 0
        return int(min(1.5 + self.per_margin * (margin - self.least), most))


BY_EDIT = Dose(least=1.75, per_margin=0.0, share=1.0)
"""For an edit, which asks nothing: at most one entry, and mostly none
(docs/adr/0049-a-dose-of-recall.md)."""

BY_WORDS = Dose(least=0.85, per_margin=15.0, share=0.5)
BY_MEANING = Dose(least=0.8, per_margin=16.0, share=0.35)
