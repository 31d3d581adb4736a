"""Writes test/golden/inversion-net.json: predictions and gradients of small InversionNets by PyTorch in float64.

Parameter i, in the order of our layout, is 0.5 sin(i + 1), input i is cos(i). Of predictions every 97th value is kept,
of gradients every 13th.
"""

import json
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


def predict(x, stages, kind, take):
    d1, d2, d3, d4, d5 = CHANNELS

    def block(x, to, kernel, strides, padding, transposed=False):
        shape = (x.shape[1], to) if transposed else (to, x.shape[1])
        weight = take(*shape, *kernel)
        convolve = F.conv_transpose2d if transposed else F.conv2d
        y = convolve(x, weight, None, strides, padding)
        y = y + take(to)[:, None, None] if kind == "none" else normalise(y, kind, take(to), take(to))
        return F.leaky_relu(y, 0.2)

    for stage, width in enumerate([d1, d2, d2, d3][4 - stages :]):
        x = block(x, width, (7, 1) if stage == 0 else (3, 1), (2, 1), (3, 0) if stage == 0 else (1, 0))
        if stage > 0:
            x = block(x, width, (3, 1), 1, (1, 0))
    for width in (d3, d4, d4):
        x = block(block(x, width, (3, 3), 2, 1), width, (3, 3), 1, 1)
    x = block(x, d5, x.shape[2:], 1, 0)
    for stage, width in enumerate((d5, d4, d3, d2, d1)):
        size, padding = ((5, 5), 0) if stage == 0 else ((4, 4), 1)
        x = block(block(x, width, size, 2, padding, True), width, (3, 3), 1, 1)
    return torch.tanh(F.conv2d(x[:, :, 5:-5, 5:-5], take(1, x.shape[1], 3, 3), take(1), padding=1))


def case(time, stages, kind):
    inputs = torch.cos(torch.arange(SAMPLES * SOURCES * time * RECEIVERS) * 1.0)
    inputs = inputs.reshape(SAMPLES, SOURCES, time, RECEIVERS)
    blocks = []

    def take(*shape):
        start = sum(block.numel() for block in blocks) + 1
        values = 0.5 * torch.sin(torch.arange(start, start + torch.Size(shape).numel()) * 1.0)
        blocks.append(values.reshape(shape).requires_grad_())
        return blocks[-1]

    prediction = predict(inputs, stages, kind, take)
    prediction.square().mean().backward()
    gradient = torch.cat([block.grad.flatten() for block in blocks])
    return {
        "time": time,
        "normalisation": kind,
        "count": len(gradient),
        "prediction": [round(v, 10) for v in prediction.flatten()[::97].tolist()],
        "gradient": [round(v, 12) for v in gradient[::13].tolist()],
    }


golden = [case(125, 1, "none"), case(125, 1, "group"), case(125, 1, "batch"), case(270, 2, "group")]
path = Path(__file__).parents[2] / "test" / "golden" / "inversion-net.json"
path.write_text(json.dumps(golden) + "\n")
