"""Rows as ProcessBench has them, authored for tests, and files of them."""

import json

import polars as pl


def row(number=0, prefix="sums", **changes):
    """One row, sound and clean: three steps, no error. A change to `...` leaves the key out."""
    steps = [f"Let x = {number}.", "Then x + 1 follows.", "So the answer is boxed."]
    sound = {
        "id": f"{prefix}-{number}",
        "generator": "a-model",
        "problem": f"What is {number} + 1?",
        "steps": steps,
        "final_answer_correct": True,
        "label": -1,
    }
    return {key: value for key, value in {**sound, **changes}.items() if value is not ...}


def rows(count, **changes):
    """Rows of which every other one is wrong, at step 0, 1, 2, 0 and so on."""
    return [row(number, **{"label": number // 2 % 3 if number % 2 else -1, **changes}) for number in range(count)]


def json_lines(values):
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def json_array(values, indent=2):
    return json.dumps(values, indent=indent).encode()


def write(path, values):
    """Write rows in the form that the path's ending says, and give the path."""
    if path.suffix == ".parquet":
        pl.DataFrame(values).write_parquet(path)
    else:
        path.write_bytes(json_lines(values) if path.suffix == ".jsonl" else json_array(values))
    return path
