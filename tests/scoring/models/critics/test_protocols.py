"""Protocols: what each benchmark's own way of counting and deciding is."""

import pytest

import making
from inspector.state.common_flags import PROTOCOLS as ON_THE_COMMAND_LINE
from scoring.data.errors import UsageError
from scoring.formats.benchmarks.benchmark_registry import MODULES
from scoring.metrics.official_protocols import PROTOCOLS, protocol_named, protocol_of


def test_the_command_line_offers_all_of_them():
    assert tuple(PROTOCOLS) == ON_THE_COMMAND_LINE


def test_a_protocol_is_called_as_its_benchmark():
    assert set(PROTOCOLS) <= set(MODULES)
    assert all(protocol_of(name).name == name for name in PROTOCOLS)


@pytest.mark.parametrize(
    ("name", "unparsed", "comparison", "undefined"),
    [
        ("processbench", "wrong", None, None),
        ("prmbench", "drop", "<=", -1.0),
        ("socratic", "drop", "<=", -1.0),
        ("grben", "drop", "<", 0.0),
    ],
)
def test_what_they_decide(name, unparsed, comparison, undefined):
    found = protocol_named(name)
    assert (found.unparsed, found.comparison, found.undefined) == (unparsed, comparison, undefined)


def test_a_benchmark_without_its_own_counts_as_processbench_does():
    assert protocol_of("mrmath").name == protocol_of("demo").name == "processbench"


def test_an_unknown_name_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match=r"no protocol 'grbench'.*processbench"):
        protocol_named("grbench")


@pytest.mark.parametrize(
    ("protocol", "name", "family", "asked"),
    [
        ("processbench", "Skywork-PRM-7B", "", "from:gsm8k"),
        ("processbench", "org/Skywork-o1-Open-PRM-Qwen-2.5-1.5B", "", "from:gsm8k"),
        ("processbench", "mine", "skywork", "from:gsm8k"),
        ("processbench", "Qwen2.5-Math-PRM-7B", "qwen", "default"),
        ("grben", "VersaPRM", "", "dev"),
        ("grben", "Llemma-PRM800K-7B", "", "dev"),
        ("grben", "Universal-PRM", "", "dev"),
        ("grben", "Skywork-PRM-7B", "", "default"),
        ("prmbench", "Skywork-PRM-7B", "", "default"),
    ],
)
def test_whose_threshold_is_tuned_belongs_to_scorer_and_protocol(protocol, name, family, asked):
    assert protocol_named(protocol).threshold(making.scorer(name, family=family)) == asked


def test_they_say_what_they_decide():
    assert str(protocol_named("processbench")).endswith("thresholds of skywork are tuned (from:gsm8k)")
    assert "a step is wrong iff its reward <= threshold" in str(protocol_named("prmbench"))


@pytest.mark.parametrize(
    ("protocol", "family", "asked"),
    [
        ("prmbench", "Skywork-PRM", "diff<="),
        ("prmbench", "Qwen", "<="),
        ("socratic", "skywork", "diff<="),
        ("processbench", "Skywork", None),
        ("grben", "Skywork", "<"),
    ],
)
def test_whose_differences_are_compared_belongs_to_scorer_and_protocol(protocol, family, asked):
    assert protocol_named(protocol).rule(making.scorer("prm", family=family)) == asked


@pytest.mark.parametrize(
    ("protocol", "name", "asked"),
    [
        # These compare the rewards that a model gave, whatever another toolkit makes of them.
        ("grben", "Skywork-PRM", "reward<"),
        ("grben", "another", "reward<"),
        ("processbench", "Skywork-PRM", "reward<="),
        # PRMBench's toolkit labelled on differences itself where the labels of its files fit that.
        ("prmbench", "another", "<="),
        ("prmbench", "Skywork-PRM", "diff<="),
    ],
)
def test_a_scorer_whose_own_rule_is_on_differences(protocol, name, asked):
    scorer = making.scorer(name, on="differences", comparison="<=", threshold=-0.05)
    assert protocol_named(protocol).rule(scorer) == asked
