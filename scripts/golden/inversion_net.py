"""Writes test/golden/inversion-net.json: predictions and gradients of small InversionNets by PyTorch in float64.

Parameter i, in the order of our layout, is 0.5 sin(i + 1), input i is cos(i). Of predictions every 97th value is kept,
of gradients every 13th.
"""

import json
import math
from pathlib import Path

import torch
from torch.nn import functional as F

SAMPLES, SOURCES, RECEIVERS, CHANNELS = 3, 2, 20, (2, 2, 8, 2, 4)
torch.set_default_dtype(torch.float64)


def normalise(y, kind, scale, shift):
    channels = y.shape[1]
    if kind == "batch":
        return F.batch_norm(y, None, None, scale, shift, training=True)
    channels = y.shape[1]
    size = next(size for size in (8, 4, 2, 1) if channels % size == 0)
    return F.group_norm(y, channels // size, scale, shift)


def predict(x, stages, kind, rows, columns, outputs, take):
    d1, d2, d3, d4, d5 = CHANNELS

    def block(x, to, kernel, strides, padding, transposed=False):
        shape = (x.shape[1], to) if transposed else (to, x.shape[1])
        weight = take(*shape, *kernel)
        convolve = F.conv_transpose2d if transposed else F.conv2d
        y = convolve(x, weight, None, strides, padding)
        y = y + take(to)[:, None, None] if kind == "none" else normalise(y, kind, take(to), take(to))
        return F.leaky_relu(y, 0.2)

    for stage, width in enumerate(([d1] * (stages - 4) + [d1, d2, d2, d3])[max(0, 4 - stages) :]):
        x = block(x, width, (7, 1) if stage == 0 else (3, 1), (2, 1), (3, 0) if stage == 0 else (1, 0))
        if stage > 0:
            x = block(x, width, (3, 1), 1, (1, 0))
    while math.ceil(x.shape[3] / 8) > 16:
        x = block(x, d3, (1, 3), (1, 2), (0, 1))
    for width in (d3, d4, d4):
        x = block(block(x, width, (3, 3), 2, 1), width, (3, 3), 1, 1)
    x = block(x, d5, x.shape[2:], 1, 0)
    doublings = max(0, math.ceil(math.log2(max(rows, columns) / 8)))
    first = tuple(math.ceil(side / 2**doublings) for side in (rows, columns))
    for stage, width in enumerate([d5, d4, d3, d2, d1, d1, d1][: doublings + 1]):
        size, padding = (first, 0) if stage == 0 else ((4, 4), 1)
        x = block(block(x, width, size, 2, padding, True), width, (3, 3), 1, 1)
    top, left = (x.shape[2] - rows) // 2, (x.shape[3] - columns) // 2
    x = x[:, :, top : top + rows, left : left + columns]
    return torch.tanh(F.conv2d(x, take(outputs, x.shape[1], 3, 3), take(outputs), padding=1))


def case(time, stages, kind, receivers=RECEIVERS, rows=70, columns=70, outputs=1):
    inputs = torch.cos(torch.arange(SAMPLES * SOURCES * time * receivers) * 1.0)
    inputs = inputs.reshape(SAMPLES, SOURCES, time, receivers)
    blocks = []

    def take(*shape):
        start = sum(block.numel() for block in blocks) + 1
        values = 0.5 * torch.sin(torch.arange(start, start + torch.Size(shape).numel()) * 1.0)
        blocks.append(values.reshape(shape).requires_grad_())
        return blocks[-1]

    prediction = predict(inputs, stages, kind, rows, columns, outputs, take)
    prediction.square().mean().backward()
    gradient = torch.cat([block.grad.flatten() for block in blocks])
    return {
        "time": time,
        "receivers": receivers,
        "map": [rows, columns],
        "outputs": outputs,
        "normalisation": kind,
        "count": len(gradient),
        "prediction": [round(v, 10) for v in prediction.flatten()[::97].tolist()],
        "gradient": [round(v, 12) for v in gradient[::13].tolist()],
    }


golden = [
    case(125, 1, "none"),
    case(125, 1, "group"),
    case(125, 1, "batch"),
    case(270, 2, "group"),
    case(30, 0, "group", receivers=140, rows=32, columns=48, outputs=2),
    case(50, 0, "none", rows=7, columns=5),
    case(2100, 5, "group", receivers=9, rows=70, columns=20),
    case(20, 0, "none", receivers=3, rows=130, columns=3),
]
path = Path(__file__).parents[2] / "test" / "golden" / "inversion-net.json"
path.write_text(json.dumps(golden) + "\n")
