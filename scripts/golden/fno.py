"""Writes test/golden/fno.json: predictions and gradients of small Fourier neural operators by PyTorch in float64.

Parameter i, in the order of our layout, is 0.3 sin(i + 1), input i is cos(i).
"""

import itertools
import json
from pathlib import Path

import torch
from torch.nn import functional as F

SAMPLES, INPUTS, OUTPUTS, WIDTH, LAYERS, PROJECTION = 2, 2, 2, 3, 2, 4
torch.set_default_dtype(torch.float64)


def at_points(x, weight, bias):
    """A linear layer over the channels of [samples, channels, *grid]."""
    return (x.movedim(1, -1) @ weight + bias).movedim(-1, 1)


def corners(modes, axes):
    """Where kept frequencies lie: in the spectrum, and among the kept ones."""
    low, high = (slice(0, modes), slice(0, modes)), (slice(-modes, None), slice(modes, None))
    for choice in itertools.product([low, high], repeat=axes - 1):
        both = [*choice, (slice(0, modes), slice(0, modes))]
        yield tuple(there for there, _ in both), tuple(kept for _, kept in both)


def predict(parameters, x, modes, padding, coordinates):
    start = 0

    def take(*shape):
        nonlocal start
        size = torch.Size(shape).numel()
        start += size
        return parameters[start - size : start].reshape(shape)

    grid = x.shape[2:]
    axes = len(grid)
    if coordinates == "unit":
        places = torch.meshgrid(*(torch.linspace(0, 1, n) for n in grid), indexing="ij")
        x = torch.cat([x, torch.stack(places).expand(SAMPLES, *[-1] * (axes + 1))], 1)
    x = at_points(x, take(x.shape[1], WIDTH), take(WIDTH))
    x = F.pad(x, [0, padding] * axes)
    padded, over = x.shape[2:], tuple(range(2, 2 + axes))
    for layer in range(LAYERS):
        kept = (2 * modes,) * (axes - 1) + (modes,)
        weight = torch.complex(*(take(*kept, WIDTH, WIDTH) for _ in range(2)))
        matrix, bias = take(WIDTH, WIDTH), take(WIDTH)
        spectrum = torch.fft.rfftn(x, dim=over)
        mixed = torch.zeros_like(spectrum)
        for there, here in corners(modes, axes):
            mixed[(..., *there)] = torch.einsum("bi...,...io->bo...", spectrum[(..., *there)], weight[here])
        x = torch.fft.irfftn(mixed, s=padded, dim=over) + at_points(x, matrix, bias)
        if layer + 1 < LAYERS:
            x = F.gelu(x)
    x = x[(..., *(slice(0, n) for n in grid))]
    x = F.gelu(at_points(x, take(WIDTH, PROJECTION), take(PROJECTION)))
    x = at_points(x, take(PROJECTION, OUTPUTS), take(OUTPUTS))
    assert start == len(parameters)
    return x


def case(grid, modes, padding=0, coordinates="unit"):
    frequencies = (2 * modes) ** (len(grid) - 1) * modes
    spectral = 2 * frequencies * WIDTH * WIDTH + WIDTH * WIDTH + WIDTH
    lifted = INPUTS + (len(grid) if coordinates == "unit" else 0) + 1
    count = lifted * WIDTH + LAYERS * spectral + (WIDTH + 1) * PROJECTION + (PROJECTION + 1) * OUTPUTS
    parameters = (0.3 * torch.sin(torch.arange(count) + 1.0)).requires_grad_()
    shape = (SAMPLES, INPUTS, *grid)
    inputs = torch.cos(torch.arange(torch.Size(shape).numel()) * 1.0)
    prediction = predict(parameters, inputs.reshape(shape), modes, padding, coordinates)
    prediction.square().mean().backward()
    return {
        "grid": grid,
        "modes": modes,
        "padding": padding,
        "coordinates": coordinates,
        "prediction": [round(v, 10) for v in prediction.flatten().tolist()],
        "gradient": [round(v, 10) for v in parameters.grad.tolist()],
    }


golden = [
    case([6, 5], 2),
    case([5, 4], 2, padding=1),
    case([6, 4], 3),
    case([5, 6], 2, coordinates="none"),
    case([8], 5),
    case([7], 3, padding=2),
    case([9], 4, padding=1, coordinates="none"),
    case([4, 5, 6], 2),
    case([4, 4, 2], 2),
    case([3, 2, 5], 1, padding=1, coordinates="none"),
]
path = Path(__file__).parents[2] / "test" / "golden" / "fno.json"
path.write_text(json.dumps(golden) + "\n")
