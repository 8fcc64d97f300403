"""The families of generative PRMs, as a table of names, and how each generates where nothing else is said."""

from collections.abc import Callable, Mapping
from pathlib import Path

from msgspec import Struct

from scoring.data.errors import UsageError
from scoring.data.scorer import Scorer
from scoring.models.asking import Sampling
from scoring.models.critics.sampling import ChosenSampling
from scoring.runs.generative import genprm, rprm, thinkprm
from scoring.runs.generative.talk import Allowed, TalkFamily
from scoring.runs.generative.talk_templates import TalkTemplate

Make = Callable[[TalkTemplate, dict[str, str], Sampling], TalkFamily]
FamilyOptions = dict[str, str]
_SEED = 0


class GenerativeFamily(Struct, frozen=True):
    """One family. `votes` are the samples whose rewards its paper averages, `note` is told with every run.

    `template` names the packaged prompt by the options, `placeholders` are those that a template must have, `sampling`
    chooses by the options and by how many votes and runs there are.
    """

    name: str
    make: Make
    options: Allowed
    placeholders: tuple[str, ...]
    template: Callable[[FamilyOptions], str]
    sampling: Callable[[FamilyOptions, int], ChosenSampling]
    votes: int
    source: str
    note: Callable[[FamilyOptions], str]

    def chosen_options(self, settings: Mapping[str, str]) -> FamilyOptions:
        """Return every option with its value.

        Raises:
            UsageError: no such option or value.
        """
        for name, value in settings.items():
            if name not in self.options:
                raise UsageError(f"{self.name} has no option {name!r}.", f"There are: {', '.join(self.options)}.")
            values = self.options[name]
            if len(values) > 1 and value not in values:
                raise UsageError(f"{name} cannot be {value!r} with {self.name}.", f"It is {' or '.join(values)}.")
        return {name: settings.get(name, values[0]) for name, values in self.options.items()}

    def wording(self, path: Path | None, options: FamilyOptions) -> TalkTemplate:
        """Return the user's template, or the packaged one.

        Raises:
            InputError: it cannot be used.
        """
        return TalkTemplate.of(path, self.template(options), self.placeholders)


def _thinkprm_sampling(_: FamilyOptions, answers: int) -> ChosenSampling:
    # 8,192 less the 20 that upstream keeps for the decision.
    if answers == 1:
        return ChosenSampling(Sampling(0.0, max_tokens=8172), "ThinkPRM's recipes: greedy for one sample", _SEED)
    return ChosenSampling(
        Sampling(0.4, max_tokens=8172), "ThinkPRM's recipes: temperature 0.4 for several samples", _SEED
    )


def _rprm_sampling(options: FamilyOptions, _: int) -> ChosenSampling:
    if options["reader"] == "text":
        sampling = Sampling(0.7, top_p=0.8, top_k=20, max_tokens=32768)
        return ChosenSampling(sampling, "ljxzs-jjlzs/ProcessBench, a fork of ProcessBench", 42)
    sampling = Sampling(0.95, top_p=0.95, max_tokens=8192)
    return ChosenSampling(sampling, "R-PRM, src/scripts/examples/eval-ProcessBench.sh", _SEED)


def _genprm_sampling(_: FamilyOptions, __: int) -> ChosenSampling:
    return ChosenSampling(
        Sampling(0.6, 0.95, 20, genprm.BUDGET), "GenPRM, genprm_inference.py; tokens are a step's", _SEED
    )


def _genprm_template(options: FamilyOptions) -> str:
    direct = options["analyze"] == options["verify"] == "off"
    return "genprm-direct.txt" if direct else "genprm.txt"


def _genprm_note(options: FamilyOptions) -> str:
    if options["verify"] == "off":
        return "no verification by code: the paper's figures for GenPRM are with it"
    return "code is not run, and the model imagines what it would print: the paper's figures are with code that is run"


def _rprm_note(options: FamilyOptions) -> str:
    if options["reader"] == "text":
        return "a step counts as 0 where the verdict line is missing or says anything but Yes, as in that fork"
    return "turns are the chat template's; upstream sends backslash and n in place of the line breaks around them"


def _thinkprm_note(_: FamilyOptions) -> str:
    return (
        "a step's reward is the score of the prefix that ends with it, read from one token; upstream scores whole words"
    )


FAMILIES: dict[str, GenerativeFamily] = {
    family.name: family
    for family in (
        GenerativeFamily(
            "genprm",
            make=genprm.GenPrm,
            options=genprm.OPTIONS,
            placeholders=genprm.NAMES,
            template=_genprm_template,
            sampling=_genprm_sampling,
            votes=8,
            source="Zhao et al., arXiv 2504.00891; RyanLiu112/GenPRM",
            note=_genprm_note,
        ),
        GenerativeFamily(
            "thinkprm",
            make=thinkprm.ThinkPrm,
            options=thinkprm.OPTIONS,
            placeholders=thinkprm.NAMES,
            template=lambda _: "thinkprm.txt",
            sampling=_thinkprm_sampling,
            votes=4,
            source="Khalifa et al., arXiv 2504.16828; mukhal/ThinkPRM",
            note=_thinkprm_note,
        ),
        GenerativeFamily(
            "rprm",
            make=rprm.RPrm,
            options=rprm.OPTIONS,
            placeholders=rprm.NAMES,
            template=lambda _: "rprm.txt",
            sampling=_rprm_sampling,
            votes=10,
            source="She et al., arXiv 2503.21295; NJUNLP/R-PRM",
            note=_rprm_note,
        ),
    )
}
"""Name -> family."""


def is_talk(scorer: Scorer) -> bool:
    """Return whether a scorer's answers are talks."""
    return scorer.settings.get("protocol") in FAMILIES
