"""Train the tiny PRMs and measure them: `python assets/make_tiny_prm.py s m` (ten and twenty-five minutes of a core).

`--measure` trains nothing: it measures the checkpoints that are there and writes `measured.json` and the card again.
"""

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from tiny_prm import card, cases, checkpoint, measuring, training
from tiny_prm.arithmetic import arithmetic
from tiny_prm.judging import Labelled, judge
from tiny_prm.network import Network, config_of
from tiny_prm.recipes import HELD_OUT_SEED, RECIPES, TEST_SEED, VALIDATION_SEED, Recipe
from tiny_prm.tokenizer import Encoder, of_the_stream

DEMO = Path(__file__).resolve().parent / "demo"
MODELS = DEMO / "models"
MEASURED = "measured.json"
VALIDATION_CASES = TEST_CASES = 2000
DRILLS = 500


def main() -> None:
    """Train and measure the sizes asked for, then write the card of all that are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="+", choices=sorted(RECIPES))
    parser.add_argument("--measure", action="store_true", help="measure what is there; train nothing")
    options = parser.parse_args()
    torch.set_num_threads(1)
    for size in options.sizes:
        recipe = RECIPES[size]
        if not options.measure:
            make(recipe, MODELS / recipe.name)
        measure(recipe, MODELS / recipe.name)
    card.write(MODELS / "README.md", [json.loads(path.read_bytes()) for path in sorted(MODELS.glob(f"*/{MEASURED}"))])


def make(recipe: Recipe, folder: Path) -> None:
    """Train a checkpoint and write it with its threshold at 0.5."""
    tokenizer = of_the_stream()
    started = time.process_time()

    def report(step: int, loss: float) -> None:
        if not (step + 1) % 100:
            print(f"{recipe.name} step {step + 1}/{recipe.steps} loss {loss:.3f}", flush=True)

    encoder = Encoder(tokenizer)
    network = training.train(recipe, encoder, report)
    minutes = (time.process_time() - started) / 60
    print(f"{recipe.name} trained in {minutes:.1f} minutes of processor time", flush=True)
    centre(network, encoder)
    checkpoint.save(folder, network, config_of(recipe), tokenizer)


def centre(network: Network, encoder: Encoder) -> None:
    """Move the head's bias so that a reward of 0.5 is the best threshold on the validation cases."""
    checkpoint.rounded(network)
    cut = measuring.best_cut(judge(network, encoder, cases.from_stream(VALIDATION_SEED, VALIDATION_CASES)))
    network.shift(cut)


def measure(recipe: Recipe, folder: Path) -> None:
    """Measure a checkpoint and write what was found beside it."""
    network, encoder = checkpoint.load(folder)
    demo = cases.from_demo(DEMO / "cases.jsonl")
    sets: dict[str, list[Labelled]] = {
        "training wordings": cases.from_stream(TEST_SEED, TEST_CASES),
        "held-out wordings": cases.from_stream(HELD_OUT_SEED, TEST_CASES, held_out=True),
        "demo, generated": [case for case in demo if case.part != cases.BY_HAND],
        "demo, by hand": [case for case in demo if case.part == cases.BY_HAND],
    }
    document: dict[str, Any] = {
        "recipe": asdict(recipe),
        "weights": sum(weight.numel() for weight in network.parameters()),
        "bytes": (folder / checkpoint.WEIGHTS).stat().st_size,
        "sha256": checkpoint.digests(folder),
        "arithmetic": arithmetic(network, encoder, TEST_SEED, DRILLS),
        "sets": {},
    }
    seen = cases.seen(recipe, list(sets.values()))
    for (name, chosen), (problems, wholes) in zip(sets.items(), seen, strict=True):
        judged = judge(network, encoder, chosen)
        document["sets"][name] = {
            **measuring.figures(judged),
            "problems_in_training": problems,
            "cases_in_training": wholes,
            "by_error": measuring.by_error(judged),
            "by_part": measuring.by_part(judged),
        }
    (folder / MEASURED).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
