"""Writes test/golden/slices.json: slices of counting arrays, as NumPy gives them.

Needs numpy: python scripts/golden/slices.py
"""

import json
from pathlib import Path

import numpy as np

OUT = Path(__file__).parents[2] / "test" / "golden" / "slices.json"
CASES = [
    ((4, 5), ":, 0"),
    ((4, 5), "-1"),
    ((4, 5), "1:3, ::2"),
    ((4, 5, 3), "..., -1"),
    ((4, 5, 3), ":, -4:-1"),
    ((4, 5, 3), "::3, ..., 1:"),
    ((3, 4, 6, 6), ":, -1, ::4, 1::2"),
    ((3, 4, 6, 6), "2, ..., ::5"),
    ((7,), "1:-1:3"),
    ((2, 3), "1, -2"),
]


def case(shape, text):
    values = eval(f"np.arange(np.prod(shape)).reshape(shape)[{text}]", {"np": np, "shape": shape})
    return {"shape": shape, "slice": text, "result": list(values.shape), "values": values.ravel().tolist()}


if __name__ == "__main__":
    OUT.write_text("[\n" + ",\n".join(json.dumps(case(*one)) for one in CASES) + "\n]\n")
