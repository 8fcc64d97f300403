"""What a refused command says on standard error."""


def sentence_of(err: str) -> str:
    """Return the one sentence of a refusal; below it stand corrected commands alone, each with its meaning."""
    sentence, *corrected = err.splitlines()
    assert all(line.startswith("  ") and line.endswith(":") for line in corrected[::2]), err
    assert all(line.startswith("    prm-inspect ") for line in corrected[1::2]), err
    return sentence
