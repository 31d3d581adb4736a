"""Writes test/golden/fno2d.json: predictions and gradients of a small Fourier neural operator by PyTorch in float64.

Parameter i, in the order of our layout, is 0.3 sin(i + 1), input i is cos(i).
"""

import json
from pathlib import Path

import torch
from torch.nn import functional as F

SAMPLES, INPUTS, OUTPUTS, WIDTH, LAYERS, PROJECTION = 2, 2, 2, 3, 2, 4
torch.set_default_dtype(torch.float64)


def predict(parameters, x, modes, padding):
    start = 0

    def take(*shape):
        nonlocal start
        size = torch.Size(shape).numel()
        start += size
        return parameters[start - size : start].reshape(shape)

    rows, columns = x.shape[-2:]
    axes = torch.linspace(0, 1, rows), torch.linspace(0, 1, columns)
    grid = torch.stack(torch.meshgrid(*axes, indexing="ij")).expand(SAMPLES, -1, -1, -1)
    x = torch.cat([x, grid], 1).permute(0, 2, 3, 1) @ take(INPUTS + 2, WIDTH) + take(WIDTH)
    x = F.pad(x.permute(0, 3, 1, 2), [0, padding, 0, padding])
    for layer in range(LAYERS):
        weight = torch.complex(*(take(2 * modes, modes, WIDTH, WIDTH) for _ in range(2)))
        matrix, bias = take(WIDTH, WIDTH), take(WIDTH)
        spectrum = torch.fft.rfft2(x)
        mixed = torch.zeros_like(spectrum)
        for kept, part in (slice(0, modes), weight[:modes]), (slice(-modes, None), weight[modes:]):
            mixed[:, :, kept, :modes] = torch.einsum("bixy,xyio->boxy", spectrum[:, :, kept, :modes], part)
        x = torch.fft.irfft2(mixed, s=x.shape[-2:]) + F.conv2d(x, matrix.T[:, :, None, None], bias)
        if layer + 1 < LAYERS:
            x = F.gelu(x)
    x = x[:, :, :rows, :columns].permute(0, 2, 3, 1)
    x = F.gelu(x @ take(WIDTH, PROJECTION) + take(PROJECTION))
    x = x @ take(PROJECTION, OUTPUTS) + take(OUTPUTS)
    assert start == len(parameters)
    return x.permute(0, 3, 1, 2)


def case(rows, columns, modes, padding):
    spectral = 2 * 2 * modes * modes * WIDTH * WIDTH + WIDTH * WIDTH + WIDTH
    count = (INPUTS + 3) * WIDTH + LAYERS * spectral + (WIDTH + 1) * PROJECTION + (PROJECTION + 1) * OUTPUTS
    parameters = (0.3 * torch.sin(torch.arange(count) + 1.0)).requires_grad_()
    inputs = torch.cos(torch.arange(SAMPLES * INPUTS * rows * columns) * 1.0)
    prediction = predict(parameters, inputs.reshape(SAMPLES, INPUTS, rows, columns), modes, padding)
    prediction.square().mean().backward()
    return {
        "rows": rows,
        "columns": columns,
        "modes": modes,
        "padding": padding,
        "prediction": [round(v, 10) for v in prediction.flatten().tolist()],
        "gradient": [round(v, 10) for v in parameters.grad.tolist()],
    }


golden = [case(6, 5, 2, 0), case(5, 4, 2, 1), case(6, 4, 3, 0)]
path = Path(__file__).parents[2] / "test" / "golden" / "fno2d.json"
path.write_text(json.dumps(golden) + "\n")
