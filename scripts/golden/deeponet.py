"""Writes test/golden/deeponet.json: predictions and gradients of small DeepONets by PyTorch in float64.

Several outputs split the last layers of branch and trunk, as DeepXDE's `split_both` does. Parameter i, in the order of our
layout, is 0.3 sin(i + 1), input i is cos(i), coordinate i is sin(i) / 2.
"""

import json
from pathlib import Path

import torch
from torch.nn import functional as F

SAMPLES, SENSORS, POINTS, COORDINATES, WIDTH = 3, 5, 6, 2, 4
ACTIVATIONS = {"relu": F.relu, "tanh": torch.tanh, "none": lambda x: x}
torch.set_default_dtype(torch.float64)


def case(depth, outputs=1, latent=WIDTH, activation="tanh", trunk_output="activation"):
    blocks = []

    def take(*shape):
        start = sum(block.numel() for block in blocks) + 1
        values = 0.3 * torch.sin(torch.arange(start, start + torch.Size(shape).numel()) * 1.0)
        blocks.append(values.reshape(shape).requires_grad_())
        return blocks[-1]

    def network(x, last):
        for layer in range(depth):
            to = outputs * latent if layer + 1 == depth else WIDTH
            x = x @ take(x.shape[-1], to) + take(to)
            x = ACTIVATIONS[activation if layer + 1 < depth else last](x)
        return x

    inputs = torch.cos(torch.arange(SAMPLES * SENSORS) * 1.0).reshape(SAMPLES, SENSORS)
    points = (torch.sin(torch.arange(POINTS * COORDINATES) * 1.0) / 2).reshape(POINTS, COORDINATES)
    branch = network(inputs, "none").reshape(SAMPLES, outputs, latent)
    trunk = network(points, activation if trunk_output == "activation" else trunk_output)
    trunk = trunk.reshape(POINTS, outputs, latent)
    prediction = torch.einsum("scl,pcl->scp", branch, trunk) + take(outputs)[:, None]
    prediction.square().mean().backward()
    return {
        "depth": depth,
        "outputs": outputs,
        "latent": latent,
        "activation": activation,
        "trunk_output": trunk_output,
        "prediction": [round(v, 10) for v in prediction.flatten().tolist()],
        "gradient": [round(v, 10) for block in blocks for v in block.grad.flatten().tolist()],
    }


golden = [
    case(2),
    case(3, outputs=2),
    case(2, outputs=3, latent=5, trunk_output="none"),
    case(1, latent=3, trunk_output="relu"),
    case(2, latent=2, activation="relu"),
]
path = Path(__file__).parents[2] / "test" / "golden" / "deeponet.json"
path.write_text(json.dumps(golden) + "\n")
