"""The three models of pde-dirichlet as PyTorch modules, with the names and shapes of parameters.safetensors.

    model = load_operator("out/quickstart/runs/<run>/parameters.safetensors", points=points)
    prediction = model(inputs)  # what model.onnx predicts, in the units of the data

Needs torch and safetensors. `points` are the output points of a DeepONet, [points, coordinates].
"""

import itertools
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


def mlp(inputs: int, width: int, depth: int, outputs: int) -> nn.ModuleList:
    sizes = [inputs] + [width] * (depth - 1) + [outputs]
    return nn.ModuleList(nn.Linear(*pair) for pair in zip(sizes[:-1], sizes[1:]))


class DeepONet(nn.Module):
    """Inputs [samples, ...] to responses [samples, points]: branch(input) . trunk(point) + bias.

    The trunk has an activation after its last layer, unless trunk_output says otherwise; the branch has none. Several outputs,
    [samples, outputs, points], split the last layers of both.
    """

    def __init__(
        self,
        sensors,
        coordinates,
        width,
        depth,
        points,
        activation="relu",
        outputs=1,
        latent=None,
        trunk_output="activation",
        initialiser=None,
    ):
        super().__init__()
        self.outputs, self.latent = outputs, latent or width
        self.branch = mlp(sensors, width, depth, outputs * self.latent)
        self.trunk = mlp(coordinates, width, depth, outputs * self.latent)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.activation = ACTIVATIONS[activation]
        self.last = {"activation": self.activation, "relu": F.relu, "none": lambda x: x}[trunk_output]
        self.register_buffer("points", torch.as_tensor(points, dtype=torch.float32), persistent=False)

    def forward(self, inputs):
        branch, trunk = inputs.flatten(1), self.points
        for layer in self.branch[:-1]:
            branch = self.activation(layer(branch))
        for layer in self.trunk[:-1]:
            trunk = self.activation(layer(trunk))
        branch = self.branch[-1](branch).unflatten(1, (self.outputs, self.latent))
        trunk = self.last(self.trunk[-1](trunk)).unflatten(1, (self.outputs, self.latent))
        prediction = torch.einsum("scl,pcl->scp", branch, trunk) + self.bias[:, None]
        return prediction if self.outputs > 1 else prediction[:, 0]


class Spectral(nn.Module):
    """A complex matrix for each kept frequency, [frequencies, in, out] in two real parts."""

    def __init__(self, modes, width, axes):
        super().__init__()
        self.kept = (2 * modes,) * (axes - 1) + (modes,)
        shape = (math.prod(self.kept), width, width)
        self.real = nn.Parameter(torch.zeros(shape))
        self.imaginary = nn.Parameter(torch.zeros(shape))
        low, high = (slice(0, modes), slice(0, modes)), (slice(-modes, None), slice(modes, None))
        self.corners = [(*corner, low) for corner in itertools.product([low, high], repeat=axes - 1)]

    def forward(self, x):  # [samples, channels, *grid]
        over = tuple(range(2, x.dim()))
        weight = torch.complex(self.real, self.imaginary).unflatten(0, self.kept)
        spectrum = torch.fft.rfftn(x, dim=over)
        mixed = torch.zeros_like(spectrum)
        for corner in self.corners:
            there, here = ((..., *part) for part in zip(*corner))
            mixed[there] = torch.einsum("bi...,...io->bo...", spectrum[there], weight[here[1:]])
        return torch.fft.irfftn(mixed, s=x.shape[2:], dim=over)


class FNO(nn.Module):
    """Inputs [samples, channels, *grid] to the same grid; either side leaves out the axis of channels if it has one."""

    def __init__(
        self,
        axes,
        inputs,
        outputs,
        width=32,
        modes=12,
        layers=4,
        projection=128,
        padding=0,
        activation="gelu",
        coordinates="unit",
        initialiser=None,
    ):
        super().__init__()
        self.axes, self.padding, self.coordinates = axes, padding, coordinates == "unit"
        self.lift = nn.Linear(inputs + (axes if self.coordinates else 0), width)
        self.spectral = nn.ModuleList(Spectral(modes, width, axes) for _ in range(layers))
        self.local = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.projection = nn.Linear(width, projection)
        self.output = nn.Linear(projection, outputs)
        self.activation = ACTIVATIONS[activation]

    def forward(self, inputs):
        if inputs.dim() == self.axes + 1:
            prediction = self(inputs[:, None])
            return prediction[:, 0] if prediction.shape[1] == 1 else prediction
        grid = inputs.shape[2:]
        x = inputs
        if self.coordinates:
            places = torch.meshgrid(*(torch.linspace(0, 1, n, device=x.device) for n in grid), indexing="ij")
            x = torch.cat([x, torch.stack(places).expand(len(x), *[-1] * (self.axes + 1))], dim=1)
        x = F.pad(at_points(self.lift, x), (0, self.padding) * self.axes)
        for i, (spectral, local) in enumerate(zip(self.spectral, self.local)):
            x = spectral(x) + at_points(local, x)
            if i + 1 < len(self.local):
                x = self.activation(x)
        x = x[(..., *(slice(0, n) for n in grid))]
        return at_points(self.output, self.activation(at_points(self.projection, x)))


def at_points(layer, x):
    """A linear layer over the channels of [samples, channels, *grid]."""
    return layer(x.movedim(1, -1)).movedim(-1, 1)


class InversionNet(nn.Module):
    """Shot gathers [samples, sources, time, receivers] to maps [samples, outputs, rows, columns], both from -1 to 1."""

    def __init__(
        self,
        time,
        receivers=70,
        sources=5,
        width=8,
        normalisation="group",
        activation="leaky-relu",
        rows=70,
        columns=70,
        outputs=1,
        initialiser=None,
    ):
        super().__init__()
        self.rows, self.columns = rows, columns
        layers = inversion_layers(time, receivers, [width * 2**i for i in range(5)], rows, columns, outputs)
        widths = [sources] + [layer["to"] for layer in layers]
        normalised = [normalisation != "none"] * (len(layers) - 1) + [False]
        self.layer = nn.ModuleList(
            InversionLayer(widths[i], normalised=normalised[i], **layer) for i, layer in enumerate(layers)
        )
        self.activation = ACTIVATIONS[activation]

    def forward(self, x):
        for layer in self.layer[:-1]:
            x = self.activation(layer(x))
        top, left = (x.shape[-2] - self.rows) // 2, (x.shape[-1] - self.columns) // 2
        return torch.tanh(self.layer[-1](x[..., top : top + self.rows, left : left + self.columns]))


def inversion_layers(time, receivers, channels, map_rows, map_columns, outputs):
    """Stages that halve time alone until about 63 rows are left, three that halve both axes, one kernel over the rest,
    then transposed convolutions that double a picture of up to 8 x 8 until it covers the map. The kernel has at most 16
    rows and columns: longer recordings and more receivers have more stages."""
    d1, d2, d3, d4, d5 = channels
    halvings = min(4, max(0, round(math.log2(time / 63))))
    while -(-time // 2 ** (halvings + 3)) > 16:
        halvings += 1
    layers, rows, columns = [], time, receivers

    def add(to, kernel, strides, padding, transposed=False):
        layers.append(dict(to=to, kernel=kernel, strides=strides, padding=padding, transposed=transposed))

    for stage, to in enumerate([d1] * (halvings - 4) + [d1, d2, d2, d3][max(0, 4 - halvings) :]):
        length = 7 if stage == 0 else 3
        add(to, (length, 1), (2, 1), ((length - 1) // 2, 0))
        if stage > 0:
            add(to, (3, 1), (1, 1), (1, 0))
        rows = -(-rows // 2)
    while -(-columns // 8) > 16:
        add(d3, (1, 3), (1, 2), (0, 1))
        columns = -(-columns // 2)
    for to in (d3, d4, d4):
        add(to, (3, 3), (2, 2), (1, 1))
        add(to, (3, 3), (1, 1), (1, 1))
        rows, columns = -(-rows // 2), -(-columns // 2)
    add(d5, (rows, columns), (1, 1), (0, 0))
    doublings = max(0, math.ceil(math.log2(max(map_rows, map_columns) / 8)))
    first = (-(-map_rows // 2**doublings), -(-map_columns // 2**doublings))
    for stage in range(doublings + 1):
        to = (d5, d4, d3, d2)[stage] if stage < 4 else d1
        if stage == 0:
            add(to, first, (2, 2), (0, 0), transposed=True)
        else:
            add(to, (4, 4), (2, 2), (1, 1), transposed=True)
        add(to, (3, 3), (1, 1), (1, 1))
    add(outputs, (3, 3), (1, 1), (1, 1))
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
    elif kind.startswith("fno"):
        model = FNO(axes=int(kind[3]), **architecture)
    else:
        model = InversionNet(**architecture)
    model.load_state_dict(weights)
    return Scaled(model, scaling["inputs"], scaling["responses"]).eval()
