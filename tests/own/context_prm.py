"""An adapter of one's own that reads what stands between the steps of a trajectory: a family's, with more to a problem.

`encoder` gives the context of a case as JSON, `[step that it stands before, speaker, text]` a message; None = there is
none.
"""

from dataclasses import dataclass
from typing import Any

from scoring.models.prms.prm_catalogue import adapter_of


@dataclass(frozen=True)
class ContextPrm:
    family: Any

    reads = ("context",)

    @classmethod
    def of(cls, checkpoint):
        return cls(adapter_of(checkpoint))

    @property
    def scale(self):
        return self.family.scale

    @property
    def readout(self):
        return self.family.readout

    @property
    def settings(self):
        return {f"family_{name}": value for name, value in self.family.settings.items()}

    def encoder(self, tokenizer):
        encode = self.family.encoder(tokenizer)

        def with_context(problem, steps, context=None):
            return encode(f"{problem} {context or ''}", steps)

        return with_context
