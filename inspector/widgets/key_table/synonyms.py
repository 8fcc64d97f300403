"""Synonyms that find commands in the palette."""

from collections.abc import Mapping, Sequence

SYNONYMS: Mapping[str, Sequence[str]] = {
    "compare": ("significance", "significant", "p value", "McNemar", "bootstrap", "A/B test", "difference"),
    "thresholds": ("calibration", "reliability", "histogram", "ROC", "AUC", "AUROC", "cutoff", "operating point"),
    "breakdown": ("confusion", "heat-map", "error types", "first error", "step length", "position"),
    "bias": ("lenient", "strict", "false positives", "false negatives"),
    "metrics": ("accuracy", "F1", "precision", "recall"),
    "paper": ("published figures", "paper table"),
    "card": ("settings", "provenance", "protocol"),
    "votes": ("self-consistency", "majority"),
    "timeline": ("checkpoints", "training"),
    "taxonomy": ("categories", "clusters of notes"),
    "triage": ("annotate", "label noise", "wrong label", "rulings", "audit"),
    "export": ("LaTeX", "Markdown", "CSV", "JSON", "report", "save", "download"),
    "theme": ("dark", "light", "colours", "contrast"),
    "slices": ("all wrong", "disagree", "close calls", "random sample", "saved filters"),
    "condition": ("where", "filter", "query"),
    "facets": ("filter", "subset"),
    "overlay": ("several scorers", "side by side"),
    "curve": ("plot", "chart of rewards"),
    "blind": ("hide labels",),
    "raw": ("LaTeX source",),
    "yank-row": ("clipboard",),
    "yank": ("clipboard",),
    "import": ("add results", "load a file", "open a file"),
    "score": ("run a model", "evaluate", "judge"),
    "quit": ("exit", "leave"),
    "help": ("shortcuts", "bindings"),
}
"""Synonyms by command id."""
