import pytest

from scoring.engines.vllm_parallel import tensor_parallel

SEVEN_B = {"num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944}


@pytest.mark.parametrize(
    ("config", "devices", "expected"),
    [
        (SEVEN_B, 1, 1),
        (SEVEN_B, 2, 2),
        (SEVEN_B, 3, 2),
        (SEVEN_B, 4, 4),
        (SEVEN_B, 8, 4),  # 28 heads cannot be dealt out to 8
        ({**SEVEN_B, "num_attention_heads": 64, "num_key_value_heads": 8}, 8, 8),
        ({**SEVEN_B, "num_attention_heads": 64, "num_key_value_heads": 2}, 8, 8),  # each is copied to four
        ({**SEVEN_B, "num_attention_heads": 24, "num_key_value_heads": 4}, 6, 4),  # 4 heads fit neither 6 nor 3
        ({**SEVEN_B, "intermediate_size": 18945}, 2, 1),
        ({}, 4, 4),
        ({}, 0, 1),
        ({"num_attention_heads": None}, 2, 2),
    ],
)
def test_the_most_devices_that_heads_and_width_can_be_dealt_out_to(config, devices, expected):
    assert tensor_parallel(config, devices) == expected
