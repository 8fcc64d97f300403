import subprocess
import sys

import pytest

from scoring.data.readout import Linear, Readout, one_layer, two_layers

TWO = Readout(two_layers(8))
BODY = {"model.norm.weight": (8,)}


def test_a_head_that_is_whole_has_no_problems():
    assert TWO.problems({**BODY, **TWO.shapes, "lm_head.weight": (100, 8)}) == []
    assert TWO.shapes == {
        "score.0.weight": (8, 8),
        "score.0.bias": (8,),
        "score.2.weight": (2, 8),
        "score.2.bias": (2,),
    }


@pytest.mark.parametrize("name", TWO.shapes)
def test_each_tensor_that_is_missing_is_named(name):
    shapes = {**BODY, **TWO.shapes}
    del shapes[name]
    assert TWO.problems(shapes) == [f"{name} is missing"]


def test_another_shape_and_an_unknown_tensor_are_problems():
    shapes = {**BODY, **TWO.shapes, "score.2.weight": (3, 8), "v_head.summary.weight": (1, 8)}
    assert TWO.problems(shapes) == ["score.2.weight is 3x8 and should be 2x8", "v_head.summary.weight is not expected"]


def test_one_head_is_not_taken_for_the_other():
    assert Readout(one_layer(8)).problems({**BODY, **TWO.shapes})
    assert TWO.problems({**BODY, **Readout(one_layer(8)).shapes})


def test_a_layer_without_bias_has_only_a_weight():
    assert Linear("score", 8, 2, bias=False).shapes == {"score.weight": (2, 8)}


def test_the_pure_part_imports_no_engine():
    modules = (
        "data.readout models.checkpoint models.fingerprint runs.run runs.preparation runs.prm_command runs.events "
        "workspace.reservation engines.usable_weights engines.base models.prms.base models.prms.qwen "
        "models.prms.prm_catalogue runs.opened __main__"
    )
    lines = [*(f"import scoring.{name}" for name in modules.split()), "import sys"]
    lines += ["heavy = {'torch', 'transformers', 'safetensors', 'tokenizers', 'huggingface_hub', 'textual'}"]
    lines += ["print(sorted(heavy & sys.modules.keys()))"]
    out = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
