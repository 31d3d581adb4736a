"""Federated training by a plain loop in PyTorch and float64, written from the formulas of the papers.

    federation_torch.py folder < runs.json

The folder has the initial weights of a DeepONet (`weights.npz`), the samples (`samples.npz`), and which of them each client
has (`clients.npz`, an export). Each run of the list names a strategy with its options, the clients' optimiser, and the
batches of every participant of every round. Prints a line of JSON for each run: the server's weights after every round, and
the models that clients keep for themselves.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import relu

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
folder = Path(sys.argv[1])
stored = np.load(folder / "weights.npz")
names, shapes = stored.files, [stored[name].shape for name in stored.files]
initial = torch.tensor(np.concatenate([stored[name].ravel() for name in names])).double()
samples = np.load(folder / "samples.npz")
inputs, responses, points = (
    torch.tensor(samples[name]).double() for name in ("inputs", "responses", "points")
)
exported = np.load(folder / "clients.npz")
clients = np.split(exported["indices"], exported["offsets"][1:-1])


def predicted(vector, x):
    """branch(x) . trunk(point) + bias, of a vector of weights; matrices are [in, out]."""
    parts = torch.split(vector, [int(np.prod(shape)) for shape in shapes])
    weights = {name: part.reshape(shape) for name, shape, part in zip(names, shapes, parts)}

    def network(name, x):
        depth = sum(one.startswith(name) for one in names) // 2
        for i in range(depth):
            x = x @ weights[f"{name}.{i}.weight"] + weights[f"{name}.{i}.bias"]
            if i + 1 < depth or name == "trunk":
                x = relu(x)
        return x

    return network("branch", x) @ network("trunk", points).T + weights["bias"]


def loss(weights, batch):
    return ((predicted(weights, inputs[batch]) - responses[batch]) ** 2).mean()


class Walker:
    """A vector of weights with its optimiser, which goes on from round to round."""

    def __init__(self, optimizer, is_reset):
        self.weights = torch.nn.Parameter(initial.clone())
        self.options, self.is_reset = optimizer, is_reset
        self.renew()

    def renew(self):
        if self.options["name"] == "adam":
            self.optimizer = torch.optim.Adam([self.weights], lr=self.options["rate"])
        else:
            momentum = self.options["momentum"]
            self.optimizer = torch.optim.SGD([self.weights], lr=self.options["rate"], momentum=momentum)

    def begin(self, weights=None):
        if self.is_reset:
            self.renew()
        if weights is not None:
            with torch.no_grad():
                self.weights.copy_(weights)

    def step(self, batch, penalty=None, correction=None):
        """A step on the loss with what a strategy adds to it, or to its gradient."""
        self.optimizer.zero_grad()
        value = loss(self.weights, batch)
        (value if penalty is None else value + penalty(self.weights)).backward()
        if correction is not None:
            self.weights.grad += correction
        self.optimizer.step()

    def now(self):
        return self.weights.detach().clone()


def gradient(weights, batch):
    weights = weights.clone().requires_grad_()
    return torch.autograd.grad(loss(weights, batch), weights)[0]


def follow(run):
    strategy, optimizer, weighting = run["strategy"], run["optimizer"], run["weights"]
    name, is_reset = strategy["name"], run["client_state"] == "reset"
    walkers = [Walker(optimizer, is_reset) for _ in clients]
    personal = [Walker(optimizer, is_reset) for _ in clients] if name == "ditto" else []
    controls, control = [torch.zeros_like(initial) for _ in clients], torch.zeros_like(initial)
    first, second, velocity = (torch.zeros_like(initial) for _ in range(3))
    x, servers = initial, []
    everyone = [1 / len(clients)] * len(clients)
    if weighting == "size":
        everyone = [len(own) / sum(map(len, clients)) for own in clients]
    for t, participants in enumerate(run["rounds"], 1):
        present = [one["client"] for one in participants]
        share = {k: everyone[k] / sum(everyone[j] for j in present) for k in present}
        y, taken = {}, {}
        for one in participants:
            k, batches = one["client"], one["batches"]
            walkers[k].begin(x)
            penalty = correction = None
            if name == "fedprox" and strategy["proximal"] == "gradient":
                penalty = lambda w: strategy["mu"] / 2 * ((w - x) ** 2).sum()
            if name == "scaffold":
                correction = control - controls[k]
            for batch in batches:
                before = walkers[k].now()
                walkers[k].step(batch, penalty, correction)
                if name == "fedprox" and strategy["proximal"] == "decoupled":
                    with torch.no_grad():
                        walkers[k].weights -= optimizer["rate"] * strategy["mu"] * (before - x)
            if personal:
                personal[k].begin()
                for batch in batches:
                    personal[k].step(batch, lambda v: strategy["lambda"] / 2 * ((v - x) ** 2).sum())
            y[k], taken[k] = walkers[k].now(), len(batches)
        delta = sum(share[k] * (y[k] - x) for k in present)
        if name == "scaffold":
            new = {
                k: gradient(x, clients[k])
                if strategy["control"] == "I"
                else controls[k] - control + (x - y[k]) / (taken[k] * optimizer["rate"])
                for k in present
            }
            control = control + sum(everyone[k] * (new[k] - controls[k]) for k in present)
            for k in present:
                controls[k] = new[k]
            x = x + strategy["server_rate"] * delta
        elif name == "fednova":
            rho = optimizer.get("momentum", 0)
            norm = {k: (n - rho * (1 - rho**n) / (1 - rho)) / (1 - rho) for k, n in taken.items()}
            steps = sum(share[k] * norm[k] for k in present)
            x = x - steps * sum(share[k] * (x - y[k]) / norm[k] for k in present)
        elif name == "fedavgm":
            velocity = strategy["server_momentum"] * velocity + delta
            x = x + strategy["server_rate"] * velocity
        elif name in ("fedadagrad", "fedadam", "fedyogi"):
            beta1, beta2 = strategy["server_beta1"], strategy.get("server_beta2")
            first = beta1 * first + (1 - beta1) * delta
            if name == "fedadagrad":
                second = second + delta**2
            elif name == "fedadam":
                second = beta2 * second + (1 - beta2) * delta**2
            else:
                second = second - (1 - beta2) * delta**2 * torch.sign(second - delta**2)
            m, v = first, second
            if strategy.get("bias_correction"):
                m, v = first / (1 - beta1**t), second / (1 - beta2**t)
            x = x + strategy["server_rate"] * m / (v.sqrt() + strategy["tau"])
        else:  # fedavg, fedprox, ditto
            x = x + delta
        servers.append(x.tolist())
    return {"servers": servers, "personal": [one.now().tolist() for one in personal]}


for run in json.load(sys.stdin):
    print(json.dumps(follow(run)), flush=True)
