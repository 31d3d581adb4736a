"""The three models of pde-dirichlet as PyTorch modules, with the names and shapes of parameters.safetensors.

    model = load_operator("out/quickstart/runs/<run>/parameters.safetensors", points=points)
    prediction = model(inputs)  # what model.onnx predicts, in the units of the data

Needs torch and safetensors. `points` are the output points of a DeepONet, [points, coordinates].
"""

import json
import math
from pathlib import Path

import numpy as np
import torch
from safetensors import safe_open
from torch import nn
from torch.nn import functional as F

ACTIVATIONS = {
    "relu": F.relu,
    "leaky-relu": lambda x: F.leaky_relu(x, 0.2),
    "tanh": torch.tanh,
    "gelu": F.gelu,
}


def mlp(inputs: int, width: int, depth: int) -> nn.ModuleList:
    return nn.ModuleList(nn.Linear(inputs if layer == 0 else width, width) for layer in range(depth))


class DeepONet(nn.Module):
    """Inputs [samples, sensors] to responses [samples, points]: branch(input) . trunk(point) + bias.

    The trunk has an activation after its last layer, the branch has none.
    """

    def __init__(self, sensors, coordinates, width, depth, points, activation="relu"):
        super().__init__()
        self.branch = mlp(sensors, width, depth)
        self.trunk = mlp(coordinates, width, depth)
        self.bias = nn.Parameter(torch.zeros(1))
        self.activation = ACTIVATIONS[activation]
        self.register_buffer("points", torch.as_tensor(points, dtype=torch.float32), persistent=False)

    def forward(self, inputs):
        branch, trunk = inputs, self.points
        for layer in self.branch[:-1]:
            branch = self.activation(layer(branch))
        for layer in self.trunk:
            trunk = self.activation(layer(trunk))
        return self.branch[-1](branch) @ trunk.T + self.bias


class Spectral(nn.Module):
    """A complex matrix for each kept frequency, [frequencies, in, out] in two real parts."""

    def __init__(self, modes, width):
        super().__init__()
        shape = (2 * modes * modes, width, width)
        self.modes = modes
        self.real = nn.Parameter(torch.zeros(shape))
        self.imaginary = nn.Parameter(torch.zeros(shape))

    def forward(self, x):  # [samples, channels, rows, columns]
        samples, channels, rows, columns = x.shape
        m = self.modes
        weight = torch.complex(self.real, self.imaginary).view(2 * m, m, channels, -1)
        spectrum = torch.fft.rfft2(x)
        kept = torch.cat([spectrum[:, :, :m, :m], spectrum[:, :, -m:, :m]], dim=2)
        mixed = torch.einsum("bixy,xyio->boxy", kept, weight)
        full = torch.zeros(samples, weight.shape[-1], rows, columns // 2 + 1, dtype=mixed.dtype, device=x.device)
        full[:, :, :m, :m] = mixed[:, :, :m]
        full[:, :, -m:, :m] = mixed[:, :, m:]
        return torch.fft.irfft2(full, s=(rows, columns))


class FNO2d(nn.Module):
    """Inputs [samples, channels, rows, columns], or without the axis of channels if there is one, to the same grid."""

    def __init__(self, inputs, outputs, width=32, modes=12, layers=4, projection=128, padding=0, activation="gelu"):
        super().__init__()
        self.lift = nn.Linear(inputs + 2, width)
        self.spectral = nn.ModuleList(Spectral(modes, width) for _ in range(layers))
        self.local = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.projection = nn.Linear(width, projection)
        self.output = nn.Linear(projection, outputs)
        self.padding = padding
        self.activation = ACTIVATIONS[activation]

    def forward(self, inputs):
        if inputs.dim() == 3:
            return self(inputs[:, None])[:, 0]
        samples, _, rows, columns = inputs.shape
        row = torch.linspace(0, 1, rows, device=inputs.device).view(1, 1, rows, 1).expand(samples, 1, rows, columns)
        column = torch.linspace(0, 1, columns, device=inputs.device).expand(samples, 1, rows, columns)
        x = at_points(self.lift, torch.cat([inputs, row, column], dim=1))
        x = F.pad(x, (0, self.padding, 0, self.padding))
        for i, (spectral, local) in enumerate(zip(self.spectral, self.local)):
            x = spectral(x) + at_points(local, x)
            if i + 1 < len(self.local):
                x = self.activation(x)
        x = x[..., :rows, :columns]
        return at_points(self.output, self.activation(at_points(self.projection, x)))


def at_points(layer, x):
    """A linear layer over the channels of [samples, channels, rows, columns]."""
    return layer(x.movedim(1, -1)).movedim(-1, 1)


class InversionNet(nn.Module):
    """Shot gathers [samples, sources, time, receivers] to velocity maps [samples, 1, 70, 70], both from -1 to 1."""

    def __init__(self, time, receivers=70, sources=5, width=8, normalisation="group", activation="leaky-relu"):
        super().__init__()
        layers = inversion_layers(time, receivers, [width * 2**i for i in range(5)])
        widths = [sources] + [layer["to"] for layer in layers]
        normalised = [normalisation != "none"] * (len(layers) - 1) + [False]
        self.layer = nn.ModuleList(
            InversionLayer(widths[i], normalised=normalised[i], **layer) for i, layer in enumerate(layers)
        )
        self.activation = ACTIVATIONS[activation]

    def forward(self, x):
        for layer in self.layer[:-1]:
            x = self.activation(layer(x))
        return torch.tanh(self.layer[-1](x[..., 5:75, 5:75]))


def inversion_layers(time, receivers, channels):
    """Stages that halve time alone until about 63 rows are left, three that halve both axes, one kernel over the rest,
    then transposed convolutions that double it to 80 x 80."""
    d1, d2, d3, d4, d5 = channels
    halvings = min(4, max(0, round(math.log2(time / 63))))
    layers, rows, columns = [], time, receivers

    def add(to, kernel, strides, padding, transposed=False):
        layers.append(dict(to=to, kernel=kernel, strides=strides, padding=padding, transposed=transposed))

    for stage, to in enumerate([d1, d2, d2, d3][4 - halvings :]):
        length = 7 if stage == 0 else 3
        add(to, (length, 1), (2, 1), ((length - 1) // 2, 0))
        if stage > 0:
            add(to, (3, 1), (1, 1), (1, 0))
        rows = -(-rows // 2)
    for to in (d3, d4, d4):
        add(to, (3, 3), (2, 2), (1, 1))
        add(to, (3, 3), (1, 1), (1, 1))
        rows, columns = -(-rows // 2), -(-columns // 2)
    add(d5, (rows, columns), (1, 1), (0, 0))
    for stage, to in enumerate((d5, d4, d3, d2, d1)):
        if stage == 0:
            add(to, (5, 5), (2, 2), (0, 0), transposed=True)
        else:
            add(to, (4, 4), (2, 2), (1, 1), transposed=True)
        add(to, (3, 3), (1, 1), (1, 1))
    add(1, (3, 3), (1, 1), (1, 1))
    return layers


class InversionLayer(nn.Module):
    def __init__(self, inputs, to, kernel, strides, padding, transposed, normalised):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros((inputs, to) + kernel if transposed else (to, inputs) + kernel))
        self.transposed, self.strides, self.padding = transposed, strides, padding
        if normalised:
            self.scale = nn.Parameter(torch.ones(to))
            self.shift = nn.Parameter(torch.zeros(to))
        else:
            self.bias = nn.Parameter(torch.zeros(to))
        self.groups = to // next(size for size in (8, 4, 2, 1) if to % size == 0)

    def forward(self, x):
        convolve = F.conv_transpose2d if self.transposed else F.conv2d
        y = convolve(x, self.weight, stride=self.strides, padding=self.padding)
        if hasattr(self, "scale"):
            return F.group_norm(y, self.groups, self.scale, self.shift)
        return y + self.bias[:, None, None]


class Scaled(nn.Module):
    """A model between data in their own units: one offset and scale for all numbers, or one for each channel."""

    def __init__(self, model, inputs, responses):
        super().__init__()
        self.model, self.inputs, self.responses = model, inputs, responses

    def forward(self, x):
        x = x.float()
        offset, scale = constants(self.inputs, x)
        y = self.model((x - offset) / scale)
        offset, scale = constants(self.responses, y)
        return y * scale + offset


def constants(scales, x):
    """Offsets and scales in a shape that broadcasts over [samples, channels, ...]."""
    shape = (1, len(scales)) + (1,) * (x.dim() - 2) if len(scales) > 1 else ()
    return [x.new_tensor([one[part] for one in scales]).view(shape) for part in ("offset", "scale")]


def load_operator(path, points=None):
    """The trained operator of a run, from its folder or its parameters.safetensors (and the output points of a DeepONet)."""
    if Path(path).is_dir():
        path = Path(path, "parameters.safetensors")
    with safe_open(path, framework="pt") as file:
        said = file.metadata()
        weights = {name: file.get_tensor(name) for name in file.keys()}
    if said.get("schema") != "pde-dirichlet/parameters/2":
        raise ValueError(f"{path} is of another version: {said.get('schema')}")
    architecture = json.loads(said["architecture"])
    kind, scaling = architecture.pop("name"), architecture.pop("scaling")
    del architecture["parameters"]
    if kind == "deeponet":
        if points is None or len(np.shape(points)) != 2:
            raise ValueError("a DeepONet needs its output points, an array [points, coordinates]")
        model = DeepONet(points=points, **architecture)
    elif kind == "fno2d":
        model = FNO2d(**architecture)
    else:
        model = InversionNet(**architecture)
    model.load_state_dict(weights)
    return Scaled(model, scaling["inputs"], scaling["responses"]).eval()
