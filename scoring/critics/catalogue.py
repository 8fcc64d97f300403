"""The protocols for critics, as a table of names."""

from scoring.critics.box_readers import read_grben, read_processbench
from scoring.critics.protocol import CriticProtocol
from scoring.critics.rating_readers import read_prmbench, read_socratic
from scoring.critics.step_layout import StepLayout
from scoring.errors import UsageError

PROTOCOLS: dict[str, CriticProtocol] = {
    one.name: one
    for one in (
        CriticProtocol(
            "processbench",
            gives="earliest error",
            template="processbench.txt",
            steps=StepLayout(0, "<paragraph_{i}>\n", "\n</paragraph_{i}>", "\n\n"),
            read=read_processbench,
            source="Zheng et al., arXiv 2412.06559, appendix D; QwenLM/ProcessBench, code/run_eval.py",
            votes=8,
            unparsed="wrong",
        ),
        CriticProtocol(
            "grben",
            gives="earliest error",
            template="grben.txt",
            steps=StepLayout(1, "<paragraph_{i}> ", " </paragraph_{i}>", "\n"),
            read=read_grben,
            source="Sun et al., arXiv 2605.01203; spirit-moon-fly/GR-Ben, evaluation/run_llm_eval.py",
            runs=3,
            unparsed="drop",
        ),
        CriticProtocol(
            "prmbench",
            gives="step rewards",
            template="prmbench.txt",
            # The blank and the empty line after every step, the last too, are the toolkit's.
            steps=StepLayout(1, "Step {i}: ", " \n\n", "", unnumbered=True),
            read=read_prmbench,
            source="Song et al., arXiv 2501.03124; ssmisya/PRMBench, mr_eval/models/openai_models.py, utils/prompts.py",
            redundancy=True,
            shots=2,
            unparsed="drop",
        ),
        CriticProtocol(
            "socratic",
            gives="step rewards",
            template="socratic.txt",
            # How the paper writes steps into its prompt is not published. Steps of this benchmark carry numbers and
            # lists of their own that do not count them: "Step 6: Step 3: ..." could be either, a tag cannot.
            steps=StepLayout(1, "<step_{i}>\n", "\n</step_{i}>", "\n\n"),
            read=read_socratic,
            source="Li et al., arXiv 2505.23474, Table 6; the layout of the steps is this program's own",
            unparsed="drop",
        ),
    )
}
"""Name -> protocol. A name is that of the benchmark that states it."""


def critic_protocol(name: str) -> CriticProtocol:
    """The protocol of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in PROTOCOLS:
        raise UsageError(f"there is no protocol {name!r} for critics.", f"There are: {', '.join(PROTOCOLS)}.")
    return PROTOCOLS[name]
