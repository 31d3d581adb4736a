"""Milliseconds of a round of federated strategies in JAX, all of them in turns.

Arguments: name of a case; `core` for one core, `cpu` for all of them or `cuda` for a GPU, which JAX_PLATFORMS must allow;
samples of a client. Fields have two clients on a processor, for they are trained one after another there.
"""

import json
import sys

import federated_jax as fed
import models_jax
import training_jax
from federated_jax import FEDAVG, each, jax, jnp, strategy

RATE, BETA1, BETA2, TAU = 5e-3, 0.9, 0.99, 1e-3
SGD_RATE, MOMENTUM, MU = 1e-2, 0.9, 1.0
SGD = fed.momentum_sgd(SGD_RATE, MOMENTUM)
# How often gradients count in the steps of a round whose velocity starts at zero.
COUNTED = sum((1 - MOMENTUM**t) / (1 - MOMENTUM) for t in range(1, fed.STEPS + 1))


def momentum(x, mean, server, *_):
    velocity = each(lambda v, y, x: 0.9 * v + (y - x), server["velocity"], mean, x)
    return each(lambda x, v: x + 0.1 * v, x, velocity), dict(velocity=velocity)


def adaptive(second_moment, beta1=BETA1):
    def aggregate(x, mean, server, *_):
        delta = each(lambda y, x: y - x, mean, x)
        first = each(lambda m, d: beta1 * m + (1 - beta1) * d, server["first"], delta)
        second = each(lambda v, d: second_moment(v, d * d), server["second"], delta)
        x = each(lambda x, m, v: x + RATE * m / (jnp.sqrt(v) + TAU), x, first, second)
        return x, dict(first=first, second=second)

    return strategy(server=("first", "second"), aggregate=aggregate)


def scaffold(finish, **parts):
    def aggregate(x, mean, server, changes, _):
        return mean, dict(control=each(lambda c, d: c + d, server["control"], changes["control"]))

    def gradient(g, w, x, server, own):
        return each(lambda g, c, k: g + c - k, g, server["control"], own["control"])

    vectors = dict(server=("control",), client=("control",))
    return strategy(**vectors, gradient=gradient, aggregate=aggregate, finish=finish, **parts)


def revealed(x, y, server, own, _):
    per_step = 1 / (SGD_RATE * COUNTED)
    return dict(control=each(lambda k, c, x, y: k - c + (x - y) * per_step, own["control"], server["control"], x, y))


STRATEGIES = {
    "fedavg": FEDAVG,
    "fedprox": strategy(gradient=lambda g, w, x, server, own: each(lambda g, w, x: g + MU * (w - x), g, w, x)),
    "fedprox, decoupled": strategy(
        settle=lambda new, w, x: each(lambda new, w, x: new - 1e-3 * MU * (w - x), new, w, x)
    ),
    "scaffold I": scaffold(lambda x, y, server, own, full: dict(control=full())),
    "scaffold II, sgd": scaffold(revealed, velocity=SGD),
    "fednova, 2 epochs": strategy(
        epochs=2,
        sends=lambda x, y, steps: each(lambda x, y: (y - x) / steps, x, y),
        aggregate=lambda x, mean, server, changes, steps: (each(lambda x, d: x + steps * d, x, mean), server),
    ),
    "fedavgm": strategy(server=("velocity",), aggregate=momentum),
    "fedadagrad": adaptive(lambda v, d2: v + d2, beta1=0.0),
    "fedadam": adaptive(lambda v, d2: BETA2 * v + (1 - BETA2) * d2),
    "fedyogi": adaptive(lambda v, d2: v - (1 - BETA2) * d2 * jnp.sign(v - d2)),
    "ditto": strategy(personal=lambda g, v, x: each(lambda g, v, x: g + MU * (v - x), g, v, x)),
    "local-only": strategy(alone=True),
}

if __name__ == "__main__":
    name, samples = sys.argv[1], int(sys.argv[3])
    problem = training_jax.problem(name) if name in training_jax.TASKS else models_jax.problem(name, samples)
    assert problem["inputs"].shape[1] == samples
    found = fed.round_times(STRATEGIES, problem)
    clients = len(problem["inputs"])
    json.dump({"milliseconds": found, "clients": clients, "version": jax.__version__}, sys.stdout)
