import pytest

from scoring.metrics.published.papers import ALIASES, NO_SCORERS, figures, model_of, normalised


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("Qwen/Qwen2.5-Math-PRM-7B", "Qwen2.5-Math-PRM-7B"),
        ("qwen2.5_math_prm_7b", "Qwen2.5-PRM-7B"),
        ("Skywork/Skywork-o1-Open-PRM-Qwen-2.5-7B", "Skywork-PRM-7B"),
        ("SkyworkPRM-7B", "Skywork-7B"),
        ("peiyi9979/math-shepherd-mistral-7b-prm", "Math-Shepherd-PRM-7B"),
        ("MathShepherd", "MathShepherd-Mistral-7B"),
        ("RLHFlow/Llama3.1-8B-PRM-Deepseek-Data", "RLHFlow-PRM-Deepseek-8B"),
        ("Llemma-PRM800k-7B", "Llemma-PRM800K-7B"),
        ("UW-Madison-Lee-Lab/VersaPRM", "VersaPRM (8B)"),
        ("Qwen2.5-Math-7B-PRM800K (our trained)", "Qwen2.5-Math-PRM800K-7B"),
        ("deepseek-r1", "Deepseek-R1"),
        ("QwQ-32B-Preview", "QwQ-Preview-32B"),
    ],
)
def test_names_of_one_model_are_one(here, there):
    assert model_of(here) == model_of(there)


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ("Skywork-PRM-7B", "Skywork-PRM-1.5B"),
        ("RLHFlow-PRM-Mistral-8B", "RLHFlow-PRM-Deepseek-8B"),
        ("QwQ-32B", "QwQ-32B-Preview"),
        ("Qwen2.5-Math-7B", "Qwen2.5-Math-7B-Instruct"),
        ("GPT-4o", "GPT-4o-0806"),
        ("Qwen2.5-Math-PRM-7B", "Qwen2.5-Math-7B-PRM800K"),
        ("Qwen2.5-Math-PRM-7B-finetuned", "Qwen2.5-Math-PRM-7B"),
    ],
)
def test_names_that_are_only_alike_are_not(here, there):
    assert model_of(here) != model_of(there)


def test_an_alias_means_one_model_and_no_other_model_has_it_as_its_name():
    aliases = [normalised(alias) for several in ALIASES.values() for alias in several]
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & {normalised(name) for name in ALIASES}


def test_a_row_that_is_no_scorers_is_never_a_scorers():
    printed = set(figures()["scorer"])
    assert printed >= NO_SCORERS
    assert not {model_of(name) for name in NO_SCORERS} & {model_of(name) for name in printed - NO_SCORERS}
    assert model_of("random") != "Random"


def test_a_model_has_one_row_a_setting_in_a_table():
    frame = figures().filter(~figures()["scorer"].is_in(list(NO_SCORERS)))
    lines = frame.select("paper", "table", "model", "setting", "scorer").unique()
    assert not lines.select("paper", "table", "model", "setting").is_duplicated().any()
