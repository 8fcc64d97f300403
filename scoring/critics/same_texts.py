"""Whether a server that was asked to sample did: the votes of a case that are the very same text."""

from collections.abc import Iterable

from msgspec import Struct

FEWEST = 10
"""Groups of votes below which nothing is concluded."""
NEARLY_ALL = 0.95


class SameTexts(Struct):
    """Counts groups of votes, those of one case in one run: `several` with two texts or more, `same` of them all equal.

    Models that answer in a few words agree often; that nearly all groups agree to the letter is what a server does that
    ignores the temperature, or gives one answer n times.
    """

    several: int = 0
    same: int = 0

    def add(self, texts: Iterable[tuple[str | None, str | None]]) -> None:
        """Count one group: (reasoning, answer) of each vote. Those that did not come or are blank do not count."""
        told = [pair for pair in texts if pair[1] is not None and any(one and one.strip() for one in pair)]
        if len(told) > 1:
            self.several += 1
            self.same += len(set(told)) == 1

    @property
    def sentence(self) -> str | None:
        """What to notice; None where there is nothing, or there are too few groups to tell."""
        if self.several < FEWEST or self.same < NEARLY_ALL * self.several:
            return None
        return (
            f"in {self.same:,} of {self.several:,} groups of votes (those of one case in one run) every answer is the "
            "very same text: the model was probably not sampled (temperature 0, or a server that ignores n or the "
            "temperature), and then a vote is one answer counted several times."
        )
