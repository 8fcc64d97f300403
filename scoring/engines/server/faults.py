"""What goes wrong with one request, and whether it is worth another."""


class Unreachable(Exception):  # noqa: N818  # named for what is so, as the errors of scoring.errors
    """No connection: nothing was sent, so the request is as good as before."""

    def __init__(self, phrase: str) -> None:
        super().__init__(phrase)
        self.phrase = phrase


class Fault(Exception):  # noqa: N818  # as above
    """A request that came to no answer.

    Attributes:
        phrase: what happened, in a few words ("HTTP 500").
        again: whether sending it again may help.
        rest: seconds that the server wants to be left alone.
        suspicious: whether the server itself may be down.
        lasting: whether it will always be so, for this request.
    """

    def __init__(
        self, phrase: str, *, again: bool = True, rest: float = 0.0, suspicious: bool = False, lasting: bool = False
    ) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.again = again
        self.rest = rest
        self.suspicious = suspicious
        self.lasting = lasting


class Reworded(Exception):  # noqa: N818  # as above
    """The server does not take a request in these words, and others are known: send it again at once."""
