"""What the engine makes of real lengths: `python tests/bench/bench_engine.py [CASES]` (needs torch; random weights).

Side by side in one run with straightforward code: the stock language model, one case at a time, logits of the whole
vocabulary at every position. Where torch sees a card a body of 7B runs there too (30 GB of memory, 15 GB of disk),
besides against batches of eight as they come, padded and with a mask. Numbers are reported beside the targets and never
asserted.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scoring.data.readout import Encoded, Readout, Vocabulary  # noqa: E402
from scoring.engines.transformers_engine import TransformersEngine  # noqa: E402
from scoring.models.checkpoint import Checkpoint  # noqa: E402  # of this checkout

VOCABULARY, CANDIDATES = 32_000, (648, 387)
ROUNDS = 5


class Body(NamedTuple):
    """The shape of a body."""

    name: str
    hidden: int
    layers: int
    inner: int
    heads: int


SMALL = Body("hidden 256, 4 layers", 256, 4, 704, 4)
LARGE = Body("hidden 768, 12 layers, 100M", 768, 12, 2048, 12)
ON_A_CARD = Body("hidden 3584, 28 layers, 7B", 3584, 28, 18944, 28)


def cases(number: int, seed: int = 0) -> list[Encoded]:
    """Lengths like those of ProcessBench's math: about 9 steps, 100 to 700 tokens; the tokens are by chance."""
    rng = np.random.default_rng(seed)
    tokens = np.clip(rng.lognormal(np.log(290), 0.45, number), 100, 700).astype(int)
    steps = np.clip(rng.normal(9, 3, number), 2, 20).astype(int)
    found = []
    for length, count in zip(tokens, steps, strict=True):
        positions = np.sort(rng.choice(np.arange(40, length), count, replace=False))
        found.append(Encoded(tuple(rng.integers(0, VOCABULARY, length).tolist()), tuple(positions.tolist())))
    return found


def models(folder: Path, body: Body, device: str = "cpu", dtype: str = "float32") -> tuple[Any, TransformersEngine]:
    """The stock language model, and the engine over the same weights."""
    config = transformers.MistralConfig(
        vocab_size=VOCABULARY,
        hidden_size=body.hidden,
        num_hidden_layers=body.layers,
        num_attention_heads=body.heads,
        num_key_value_heads=body.heads // 2,
        intermediate_size=body.inner,
        sliding_window=None,
        tie_word_embeddings=False,
    )
    torch.manual_seed(0)
    transformers.utils.logging.disable_progress_bar()
    torch.set_default_dtype(getattr(torch, dtype))
    with torch.device(device):
        stock = transformers.MistralForCausalLM(config).eval()
    torch.set_default_dtype(torch.float32)
    stock.save_pretrained(folder)
    readout = Readout(Vocabulary(CANDIDATES, body.hidden), reward=(1.0, 0.0), ignored=("lm_head.weight",))
    return stock, TransformersEngine.load(Checkpoint.open(folder), readout, dtype=dtype, device=device)


def plainly(stock: Any, work: Sequence[Encoded], size: int = 1) -> list[list[float]]:
    """Rewards as a model card would compute them, so many cases at a time in the order in which they come."""
    found = []
    with torch.no_grad():
        for start in range(0, len(work), size):
            batch = work[start : start + size]
            ids = torch.zeros(len(batch), max(len(one.ids) for one in batch), dtype=torch.int64)
            mask = torch.zeros_like(ids)
            for row, one in enumerate(batch):
                ids[row, : len(one.ids)], mask[row, : len(one.ids)] = torch.tensor(one.ids), 1
            more = {"attention_mask": mask.to(stock.device)} if size > 1 else {}
            chosen = stock(input_ids=ids.to(stock.device), **more).logits[..., list(CANDIDATES)].softmax(dim=-1)
            found += [chosen[row, list(one.positions), 0].tolist() for row, one in enumerate(batch)]
    return found


def batched(engine: TransformersEngine, work: Sequence[Encoded]) -> list[list[float]]:
    """Rewards as the engine computes them."""
    answers = {answer.index: answer.rewards for batch in engine.read(work) for answer in batch.answers}
    return [list(answers[index]) for index in range(len(work))]


def seconds(run: Callable[[], object]) -> tuple[float, float]:
    """How long something takes: on the clock, and of the processor."""
    wall, own = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - own


def side_by_side(body: Body, number: int, plain_share: int) -> None:
    """Both ways by turns, so that whatever else the machine does meets both."""
    with tempfile.TemporaryDirectory() as folder:
        stock, engine = models(Path(folder), body)
        work = cases(number)
        difference = np.abs(
            np.subtract(np.concatenate(plainly(stock, work[:4])), np.concatenate(batched(engine, work[:4])))
        )
        ratios, of_processor, plain_rate, rate = [], [], [], []
        size = number // ROUNDS
        for start in range(0, size * ROUNDS, size):
            chunk = work[start : start + size]
            few = chunk[:: max(1, size // plain_share)]
            slow, fast = (
                seconds(lambda few=few: plainly(stock, few)),
                seconds(lambda chunk=chunk: batched(engine, chunk)),
            )
            ratios.append(slow[0] / len(few) / (fast[0] / size))
            of_processor.append(slow[1] / len(few) / (fast[1] / size))
            plain_rate.append(len(few) / slow[0])
            rate.append(size / fast[0])
        print(f"{body.name}, {VOCABULARY:,} tokens, float32, {torch.get_num_threads()} threads")
        print(f"  one at a time, all logits {np.median(plain_rate):8.1f} cases/s")
        print(f"  the engine                {np.median(rate):8.1f} cases/s")
        print(f"  ratio                     {np.median(ratios):8.2f} x")
        print(f"  ratio of processor time   {np.median(of_processor):8.2f} x")
        print(f"  largest difference        {difference.max():8.1e}")
        _overhead(engine, work[:size])


def _overhead(engine: TransformersEngine, work: Sequence[Encoded]) -> None:
    """The engine's time outside body and head."""
    inside = 0.0

    def timed(run: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **settings: Any) -> Any:
            nonlocal inside
            start = time.perf_counter()
            out = run(*args, **settings)
            inside += time.perf_counter() - start
            return out

        return call

    head = engine.head
    engine.body.forward, engine.head = timed(engine.body.forward), timed(head)
    wall, _ = seconds(lambda: batched(engine, work))
    del engine.body.forward
    engine.head = head
    batches = list(engine.read(work))
    tokens, padding = sum(batch.tokens for batch in batches), sum(batch.padding for batch in batches)
    outside = wall - inside
    print(f"  outside body and head     {outside / wall:8.2%}  ({outside / len(work) * 1e3:.2f} ms a case)")
    print(f"  padding                   {padding / (tokens + padding):8.2%}")


def on_a_card(number: int) -> None:
    """Both plain ways and the engine on a card, in bfloat16; the engine again, when it knows all shapes of batches."""
    with tempfile.TemporaryDirectory() as folder:
        stock, engine = models(Path(folder), ON_A_CARD, "cuda", "bfloat16")
        work = cases(number)
        plain, eight = work[: number // 4], work[: number // 2]
        plainly(stock, work[-8:], 8)
        plainly(stock, work[-8:])
        batched(engine, work[-8:])
        held = torch.cuda.memory_allocated()
        rates = {}
        for name, some, run in (
            ("one at a time", plain, lambda: plainly(stock, plain)),
            ("eight at a time", eight, lambda: plainly(stock, eight, 8)),
            ("the engine", work, lambda: batched(engine, work)),
            ("the engine, again", work, lambda: batched(engine, work)),
        ):
            torch.cuda.reset_peak_memory_stats()
            rates[name] = len(some) / seconds(run)[0]
            peak = (torch.cuda.max_memory_allocated() - held) / 1e9
            print(f"  {name:25} {rates[name]:8.1f} cases/s, {peak:.1f} GB beside the weights")
        print(f"  ratio                     {rates['the engine'] / rates['one at a time']:8.2f} x")
        print(f"  ratio to eight            {rates['the engine'] / rates['eight at a time']:8.2f} x")
        numbers = sum(tensor.numel() for tensor in engine.body.parameters()) - VOCABULARY * ON_A_CARD.hidden
        done = 2 * numbers * sum(len(one.ids) for one in work) / number * rates["the engine, again"] / 1e12
        print(f"  of matrix products alone  {done / _products():8.1%}, attention and padding not counted")


def _products() -> float:
    """TFLOP/s of a product of two large matrices in bfloat16: what the card gives at most."""
    one, other = (torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(2):
        took = seconds(lambda: [one @ other for _ in range(20)] and torch.cuda.synchronize())[0]
    return 20 * 2 * 8192**3 / took / 1e12


def memory() -> None:
    """How much the process grows between 200 and 1,000 cases."""
    with tempfile.TemporaryDirectory() as folder:
        _, engine = models(Path(folder), SMALL)
        work = cases(1000)
        batched(engine, work[:200])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        batched(engine, work)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"peak memory, 200 cases {before / 1024:,.0f} MB, 1,000 cases {after / 1024:,.0f} MB: flat is the target")


def main() -> None:
    """The small body against its target, the large one for the record, and memory."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("target for the small body: 4 x")
    side_by_side(SMALL, number, plain_share=20)
    side_by_side(LARGE, max(ROUNDS * 6, number // 10), plain_share=4)
    memory()
    if torch.cuda.is_available():
        print(f"{ON_A_CARD.name}, bfloat16, {torch.cuda.get_device_name()}")
        on_a_card(min(number, 400))


if __name__ == "__main__":
    main()
