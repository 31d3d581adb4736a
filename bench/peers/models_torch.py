"""Milliseconds per training step (forward, gradients of the mean square, Adam) of the models in PyTorch.

Arguments: name of a case; number of threads, or `cuda` for a GPU.
"""

import itertools
import json
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

TURNS, SHORTEST = 3, 1.0
CASES = {
    "fno2d": dict(grid=(64, 64)),
    "fno2d-128": dict(grid=(128, 128)),
    "fno1d": dict(grid=(1024,), width=64, modes=16, batch=32),
    "fno3d": dict(grid=(32, 32, 32), width=20, modes=8, batch=4),
    "deeponet-64": dict(points=64 * 64, sensors=100, width=64, depth=3, batch=64),
    "inversion-net-1000": dict(time=1000),
    "inversion-net-250": dict(time=250),
}

case = CASES[sys.argv[1]]
BATCH = case.pop("batch", 16)
device = "cuda" if sys.argv[2] == "cuda" else "cpu"
if device == "cpu":
    torch.set_num_threads(int(sys.argv[2]))
torch.backends.cudnn.allow_tf32 = False
torch.manual_seed(0)


class SpectralConvolution(nn.Module):
    """The lowest modes of both signs along all axes but the last, where those of one sign are enough."""

    def __init__(self, width, modes, axes):
        super().__init__()
        self.over = tuple(range(2, 2 + axes))
        low, high = slice(0, modes), slice(-modes, None)
        self.corners = [(..., *corner, low) for corner in itertools.product([low, high], repeat=axes - 1)]
        letters = "xyz"[:axes]
        self.product = f"bi{letters},io{letters}->bo{letters}"
        shape = (width, width) + (modes,) * axes
        self.weights = nn.ParameterList(
            torch.rand(shape, dtype=torch.cfloat) / width**2 for _ in self.corners
        )

    def forward(self, x):
        spectrum = torch.fft.rfftn(x, dim=self.over)
        mixed = torch.zeros_like(spectrum)
        for corner, weight in zip(self.corners, self.weights):
            mixed[corner] = torch.einsum(self.product, spectrum[corner], weight)
        return torch.fft.irfftn(mixed, s=x.shape[2:], dim=self.over)


class Fno(nn.Module):
    def __init__(self, axes, inputs=1, outputs=1, width=32, modes=12, layers=4):
        super().__init__()
        convolution = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[axes - 1]
        self.lift = nn.Linear(inputs + axes, width)
        self.spectral = nn.ModuleList(SpectralConvolution(width, modes, axes) for _ in range(layers))
        self.local = nn.ModuleList(convolution(width, width, 1) for _ in range(layers))
        self.project1 = nn.Linear(width, 128)
        self.project2 = nn.Linear(128, outputs)

    def forward(self, x):
        places = torch.meshgrid(*(torch.linspace(0, 1, n, device=x.device) for n in x.shape[2:]), indexing="ij")
        grid = torch.stack(places).expand(len(x), *[-1] * (len(places) + 1))
        x = self.lift(torch.cat([x, grid], 1).movedim(1, -1)).movedim(-1, 1)
        for i, (spectral, local) in enumerate(zip(self.spectral, self.local)):
            x = spectral(x) + local(x)
            if i + 1 < len(self.local):
                x = F.gelu(x)
        x = F.gelu(self.project1(x.movedim(1, -1)))
        return self.project2(x).movedim(-1, 1)


class DeepOnet(nn.Module):
    def __init__(self, points, sensors, width, depth):
        super().__init__()
        self.branch = self.network(sensors, width, depth)
        self.trunk = nn.Sequential(self.network(2, width, depth), nn.ReLU())
        self.bias = nn.Parameter(torch.zeros(1))
        self.register_buffer("points", torch.rand(points, 2))

    def network(self, inputs, width, depth):
        layers = [nn.Linear(inputs, width)]
        for _ in range(depth - 1):
            layers += [nn.ReLU(), nn.Linear(width, width)]
        return nn.Sequential(*layers)

    def forward(self, x):
        return self.branch(x) @ self.trunk(self.points).T + self.bias


def block(layer, channels):
    layer.register_parameter("bias", None)
    return [layer, nn.GroupNorm(channels // 8, channels), nn.LeakyReLU(0.2)]


def inversion_net(length, channels=(8, 16, 32, 64, 128), sources=5):
    """Strided stages over time alone, then over both axes; a transposed decoder from 1 x 1 to 80 x 80, cropped."""
    d1, d2, d3, d4, d5 = channels
    halvings = {1000: 4, 500: 3, 250: 2, 125: 1}[length]
    widths = [d1, d2, d2, d3][4 - halvings :]
    layers, last = [], sources
    for i, width in enumerate(widths):
        k = 7 if i == 0 else 3
        layers += block(nn.Conv2d(last, width, (k, 1), (2, 1), (k // 2, 0)), width)
        if i > 0:
            layers += block(nn.Conv2d(width, width, (3, 1), 1, (1, 0)), width)
        last = width
    for width in (d3, d4, d4):
        layers += block(nn.Conv2d(last, width, 3, 2, 1), width) + block(nn.Conv2d(width, width, 3, 1, 1), width)
        last = width
    layers += block(nn.Conv2d(last, d5, (8, 9)), d5)
    last = d5
    for i, width in enumerate((d5, d4, d3, d2, d1)):
        up = nn.ConvTranspose2d(last, width, 5, 2) if i == 0 else nn.ConvTranspose2d(last, width, 4, 2, 1)
        layers += block(up, width) + block(nn.Conv2d(width, width, 3, 1, 1), width)
        last = width
    return nn.Sequential(*layers, nn.ZeroPad2d(-5), nn.Conv2d(last, 1, 3, 1, 1), nn.Tanh())


if "grid" in case:
    grid = case.pop("grid")
    model, shape = Fno(len(grid), **case), (BATCH, 1, *grid)
elif "points" in case:
    model, shape = DeepOnet(**case), (BATCH, case["sensors"])
else:
    model, shape = inversion_net(case["time"]), (BATCH, 5, case["time"], 70)
model, inputs = model.to(device), torch.rand(shape, device=device)
parameters = list(model.parameters())
optimizer = torch.optim.Adam(parameters, lr=1e-3)
with torch.no_grad():
    targets = torch.rand_like(model(inputs))


def step():
    optimizer.zero_grad(set_to_none=True)
    F.mse_loss(model(inputs), targets).backward()
    optimizer.step()


def finish():
    if device == "cuda":
        torch.cuda.synchronize()


steps = 20 if device == "cuda" else 2
for warm in range(5 if device == "cuda" else 1):
    step()
finish()
best = float("inf")
turn, began = 0, time.perf_counter()
while turn < TURNS or time.perf_counter() - began < SHORTEST:
    turn += 1
    begin = time.perf_counter()
    for _ in range(steps):
        step()
    finish()
    best = min(best, (time.perf_counter() - begin) / steps)
json.dump(
    {
        "milliseconds": 1000 * best,
        "version": torch.__version__,
        "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "parameters": sum(p.numel() * (2 if p.is_complex() else 1) for p in parameters),
    },
    sys.stdout,
)
