"""Cheap scorers that read the text and learn nothing: what a PRM has to beat.

Each module has `NAME`, `ABOUT` (what it is and how it is computed, in a sentence) and
`rewards(problem, steps) -> list[float]`, one number in [0, 1] a step. They see the problem and the steps up to the one
they rate, never a gold label; they accept any text, never raise, and take time about linear in its length.
"""

from types import ModuleType

from baselines import blend, equations_hold, ledger, novelty, numbers_traced

BASELINES: dict[str, ModuleType] = {
    module.NAME: module for module in (equations_hold, numbers_traced, ledger, novelty, blend)
}
