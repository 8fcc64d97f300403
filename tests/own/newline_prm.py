"""An adapter of one's own, in one file: a step ends in a line break, and one number is read there."""

from dataclasses import dataclass

from scoring.data.readout import Encoded, Readout, one_layer
from scoring.models.checkpoint import positive
from scoring.models.prms.base import NO_STEPS, Scale, too_long


@dataclass(frozen=True)
class NewlinePrm:
    hidden: int
    max_length: int

    scale = Scale("newline PRM", 0.0, 1.0, 0.5, "its authors")

    @classmethod
    def of(cls, checkpoint):
        sizes = (positive(checkpoint.config, name) for name in ("hidden_size", "max_position_embeddings"))
        return cls(*sizes)

    @property
    def readout(self):
        return Readout(one_layer(self.hidden, labels=1), "sigmoid", reward=(1.0,))

    @property
    def settings(self):
        return {"max_length": self.max_length}

    def encoder(self, tokenizer):
        end = tokenizer.encode("\n")

        def encode(problem, steps):
            if not steps:
                return NO_STEPS
            ids, positions = tokenizer.encode(problem) + end, []
            for step in steps:
                ids += tokenizer.encode(step) + end
                positions.append(len(ids) - 1)
            if len(ids) > self.max_length:
                return too_long(len(ids), self.max_length)
            return Encoded(tuple(ids), tuple(positions))

        return encode
