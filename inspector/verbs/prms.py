"""The PRMs that the program knows; check NAME tests an adapter."""

import argparse

from inspector.verbs import Verb


def _flags(parser: argparse.ArgumentParser) -> None:
    from inspector.shell.prm_arguments import add_prms

    add_prms(parser)


VERB = Verb(
    (
        "prm-inspect prms qwen   (its options, thresholds in use, models)",
        "prm-inspect prms check qwen --weights ~/Qwen2.5-Math-PRM-7B --cases gsm8k.json",
    ),
    _flags,
    module="inspector.shell.prms",
    takes=(),
    rank=4,
)
