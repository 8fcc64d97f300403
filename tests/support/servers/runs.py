"""What tests of the server engines ask, and what they gather."""

from scoring.engines.server.connections import RetryPolicy
from scoring.models.asking import Answered, GenerationRequest, Message, Noticed

QUICK = RetryPolicy(timeout=0.5, base=0.01, longest=0.05, down=1.0)


class QuickRetryPolicy(RetryPolicy, frozen=True):
    """For commands, which take timeout and tries alone from their flags."""

    base: float = 0.01
    longest: float = 0.05


class Run:
    """What came of a run: the answered asks by index, the notices, and how many signs of life."""

    def __init__(self, came):
        self.answered, self.noticed, self.ticks = {}, [], 0
        for one in came:
            if isinstance(one, Answered):
                assert one.index not in self.answered
                self.answered[one.index] = one
            elif isinstance(one, Noticed):
                self.noticed.append(one.sentence)
            else:
                assert one is None
                self.ticks += 1

    @property
    def answers(self):
        return [answer for index in sorted(self.answered) for answer in self.answered[index].answers]

    @property
    def calls(self):
        return sum(one.calls for one in self.answered.values())

    @property
    def retries(self):
        return sum(one.retries for one in self.answered.values())


def asks(number, count=1, seed=None):
    return (GenerationRequest(index, (Message("user", f"q{index}"),), count, seed) for index in range(number))
