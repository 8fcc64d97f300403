"""A PRM that generates is not read again, and that is said."""

import critic_spaces
import making
from inspector import cli
from scoring.workspace.cache import RewardParts


def test_it_is_said_why_a_generative_prm_is_not_read_again(tmp_path, capsys):
    space = critic_spaces.imported(tmp_path)
    critic_spaces.critic(space, lambda *_: [r"\boxed{1}"])
    talks = making.scorer("thinker", settings={"protocol": "thinkprm", "options": {}})
    talks.save(RewardParts(space / "rewards" / talks.folder).folder)
    assert cli.main(["reparse", "--save", "thinker", "-w", str(space)]) == 2
    told = capsys.readouterr().err
    assert "thinker is a PRM that generates" in told
    assert "ask it again with another --option" in told
    # Without a name those that can be read again are.
    assert cli.main(["reparse", "--save", "-w", str(space)]) == 0
    assert cli.main(["reparse", "--save", "judge", "-w", str(space)]) == 0
