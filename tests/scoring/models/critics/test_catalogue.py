import pytest

from scoring.data.errors import UsageError
from scoring.metrics.official_protocols import PROTOCOLS as FIGURES
from scoring.models.critics.answer_parsers import READERS
from scoring.models.critics.protocols import PROTOCOLS, critic_protocol
from scoring.models.critics.sampling import MODES
from scoring.runs.arguments import PROTOCOLS as OFFERED


def test_each_is_found_by_its_name():
    assert tuple(PROTOCOLS) == OFFERED == tuple(MODES)
    for name, protocol in PROTOCOLS.items():
        assert critic_protocol(name) is protocol
        assert protocol.name == name
        assert protocol.read in READERS.values()
        assert protocol.source


def test_an_unknown_name():
    with pytest.raises(UsageError, match=r"no protocol 'mrmath' for critics.*processbench, grben"):
        critic_protocol("mrmath")


def test_unparsed_answers_count_as_in_the_benchmarks_figures():
    assert {name: one.unparsed for name, one in PROTOCOLS.items()} == {
        name: FIGURES[name].unparsed for name in PROTOCOLS
    }


def test_what_each_asks_for():
    processbench, grben, prmbench, socratic, trajectories = (PROTOCOLS[name] for name in OFFERED)
    assert (processbench.gives, processbench.votes, processbench.runs) == ("earliest error", 8, 1)
    assert (grben.gives, grben.votes, grben.runs) == ("earliest error", 1, 3)
    assert (prmbench.gives, prmbench.redundancy, prmbench.shots) == ("step rewards", True, 2)
    assert (socratic.gives, socratic.redundancy, socratic.shots) == ("step rewards", False, 0)
    assert (trajectories.gives, trajectories.scale["threshold"]) == ("step labels", -0.5)
    assert [protocol.name for protocol in PROTOCOLS.values() if protocol.reads] == ["agentprocessbench"]
