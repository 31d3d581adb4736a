"""Milliseconds per client step in PyTorch: the loop that people write, clients one after another, all cores.

Arguments: name of a task; `cuda` for a GPU.
"""

import copy
import json
import sys
import time

import torch

TASKS = {
    "antiderivative": dict(samples=100, sensors=100, points=100, coordinates=1, width=40, depth=2, rounds=20),
    "burgers": dict(samples=80, sensors=101, points=10201, coordinates=2, width=64, depth=2, rounds=3),
    "diffusion-reaction": dict(samples=100, sensors=101, points=10201, coordinates=2, width=100, depth=3, rounds=2),
}
CLIENTS, STEPS, BATCH, TURNS = 10, 5, 64, 3

task = TASKS[sys.argv[1]]
device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
torch.manual_seed(0)


def network(inputs, activate_last):
    sizes = [inputs] + [task["width"]] * task["depth"]
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [torch.nn.Linear(a, b), torch.nn.ReLU()]
    return torch.nn.Sequential(*(layers if activate_last else layers[:-1]))


class DeepOnet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.branch = network(task["sensors"], False)
        self.trunk = network(task["coordinates"], True)
        self.bias = torch.nn.Parameter(torch.zeros(1))

    def forward(self, a, points):
        return self.branch(a) @ self.trunk(points).T + self.bias


points = torch.rand(task["points"], task["coordinates"], device=device)
inputs = [torch.rand(task["samples"], task["sensors"], device=device) for _ in range(CLIENTS)]
responses = [torch.rand(task["samples"], task["points"], device=device) for _ in range(CLIENTS)]
server = DeepOnet().to(device)
models = [copy.deepcopy(server) for _ in range(CLIENTS)]
optimizers = [torch.optim.Adam(model.parameters(), lr=1e-3) for model in models]


def one_round():
    for model, optimizer, a, u in zip(models, optimizers, inputs, responses):
        model.load_state_dict(server.state_dict())
        for _ in range(STEPS):
            batch = torch.randint(0, task["samples"], (BATCH,), device=device)
            optimizer.zero_grad(set_to_none=True)
            torch.nn.functional.mse_loss(model(a[batch], points), u[batch]).backward()
            optimizer.step()
    with torch.no_grad():
        for mean, *local in zip(server.parameters(), *(model.parameters() for model in models)):
            mean.copy_(sum(local) / CLIENTS)


def finish():
    if device == "cuda":
        torch.cuda.synchronize()


one_round()
if device == "cuda":
    one_round()
    task["rounds"] = 5
finish()
best = float("inf")
for turn in range(TURNS):
    begin = time.perf_counter()
    for _ in range(task["rounds"]):
        one_round()
    finish()
    best = min(best, (time.perf_counter() - begin) / (task["rounds"] * CLIENTS * STEPS))
json.dump({"milliseconds": 1000 * best, "version": torch.__version__}, sys.stdout)
