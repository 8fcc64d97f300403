"""One tiny random checkpoint of every family, in its published layout. Needs torch."""

import json

import byte_vocabulary
import sentencepiece_families
import sentencepiece_pieces
import tiny_families
from scoring.models.checkpoint import Checkpoint
from scoring.models.prms.prm_catalogue import family
from scoring.runs.opened import LoadedPrm

QWEN, LLAMA, WIDTH = tiny_families.QWEN, tiny_families.LLAMA, tiny_families.HIDDEN
MISTRAL, LLAMA2 = sentencepiece_families.MISTRAL, sentencepiece_families.LLAMA
CAUSAL = {**QWEN, "architectures": ["Qwen2ForCausalLM"]}
CLASSIFIER = {**QWEN, "architectures": ["Qwen2ForTokenClassification"]}
TWO_LAYERS = {
    "score.0.weight": (WIDTH, WIDTH),
    "score.0.bias": (WIDTH,),
    "score.2.weight": (2, WIDTH),
    "score.2.bias": (2,),
}

BYTES = {
    "qwen": ({**QWEN, "architectures": ["Qwen2ForProcessRewardModel"]}, byte_vocabulary.QWEN_PRM_SPECIALS, TWO_LAYERS),
    "rlhflow": ({**LLAMA, "architectures": ["LlamaForCausalLM"]}, byte_vocabulary.LLAMA_SPECIALS, None),
    "versa": ({**LLAMA, "architectures": ["LlamaForCausalLM"]}, byte_vocabulary.LLAMA_SPECIALS, None),
    "skywork": (
        {**QWEN, "architectures": ["Qwen2ForPrmModel"]},
        byte_vocabulary.QWEN_SPECIALS,
        {"v_head.summary.weight": (1, WIDTH), "v_head.summary.bias": (1,)},
    ),
    "pure": ({**CLASSIFIER, "num_labels": 2}, byte_vocabulary.QWEN_SPECIALS, None),
    "token_classifier": ({**CLASSIFIER, "num_labels": 2}, byte_vocabulary.QWEN_SPECIALS, None),
    "scan": ({**CLASSIFIER, "num_labels": 1}, byte_vocabulary.QWEN_SPECIALS, None),
    "universal": (
        {**QWEN, "architectures": ["Qwen2ForRewardModel"]},
        byte_vocabulary.QWEN_SPECIALS,
        {"score.weight": (1, WIDTH)},
    ),
    "implicit": (CAUSAL, byte_vocabulary.QWEN_SPECIALS, None),
    "pathfinder": (CAUSAL, byte_vocabulary.PATHFINDER_SPECIALS, None),
    "reasonflux": (
        CAUSAL,
        byte_vocabulary.QWEN_SPECIALS,
        {"reward_head.weight": (1, WIDTH), "reward_head.bias": (1,)},
    ),
}
TEMPLATES = {
    "qwen": tiny_families.QWEN_TEMPLATE,
    "rlhflow": tiny_families.LLAMA_TEMPLATE,
    "implicit": tiny_families.QWEN_TEMPLATE,
    "pathfinder": tiny_families.QWEN_TEMPLATE,
}
PIECES = {
    "math_shepherd": ({**MISTRAL, "architectures": ["MistralForCausalLM"]}, sentencepiece_pieces.MISTRAL, None),
    "llemma": ({**LLAMA2, "architectures": ["LlamaForCausalLM"]}, sentencepiece_pieces.LLAMA, None),
    "minos": (
        {**MISTRAL, "architectures": ["MistralForTokenClassification"], "num_labels": 1},
        sentencepiece_pieces.MISTRAL,
        None,
    ),
    "reasoneval": (
        {**MISTRAL, "architectures": ["ReasonEval_7B"], "score_dimension": 3, "use_bias": True},
        sentencepiece_pieces.MISTRAL,
        {"score_head.weight": (3, WIDTH), "score_head.bias": (3,)},
    ),
}


def write(root, name, seed=0, **changes):
    """The checkpoint of a family, in a folder that is called after it; `changes` go into its config."""
    made = BYTES.get(name)
    if made:
        folder = tiny_families.write(root / name, {**made[0], **changes}, made[1], head=made[2], seed=seed)
        if name in TEMPLATES:
            (folder / "chat_template.jinja").write_text(TEMPLATES[name])
        if name == "token_classifier":
            (folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "<|endoftext|>"}))
        return tagged(folder) if name == "skywork" else folder
    config, pieces, head = PIECES[name]
    folder = root / name
    sentencepiece_families.write(folder, {**config, **changes}, pieces, **({"head": head} if head else {}))
    if name == "llemma":
        sentencepiece_families.tile(folder)
    return folder


def reference(root, name):
    """The reference model of a family whose rewards are ratios to one; None for the others."""
    return write(root / "reference", name, seed=1) if name == "implicit" else None


def tagged(folder):
    """Let `ки` be one token of a vocabulary of Qwen's kind, as it is of the real one."""
    ranks = byte_vocabulary.tiny_ranks()
    ranks |= {token.encode(): len(ranks) + at for at, token in enumerate(("к", "и", "ки"))}
    byte_vocabulary.write(folder / "tokenizer.json", ranks, byte_vocabulary.QWEN_SPECIALS)
    return folder


def opened(root, name, *, changes=(), **options):
    """The family's checkpoint, opened. It is not looked at whose it is: a Llama-3 is told by its 128,000 tokens."""
    return loaded(write(root, name, **dict(changes)), reference(root, name), name, **options)


def loaded(folder, other, name, **options):
    """The family's checkpoint that was written to a folder, and its reference model to another one or None."""
    checkpoint = Checkpoint.open(folder)
    made = family(name).of(checkpoint, **options)
    reads = made.reference_model(checkpoint, Checkpoint.open(other)) if other else None
    return LoadedPrm(checkpoint, made, "float32", "cpu", reference=reads)
