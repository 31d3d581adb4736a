"""Milliseconds per client step in JAX: the whole round compiled, clients by vmap, local steps by scan, all cores.

Arguments: name of a task; `cuda` for a GPU, which JAX_PLATFORMS must allow.
"""

import json
import sys
import time

import jax
import jax.numpy as jnp

TASKS = {
    "antiderivative": dict(samples=100, sensors=100, points=100, coordinates=1, width=40, depth=2, rounds=100),
    "burgers": dict(samples=80, sensors=101, points=10201, coordinates=2, width=64, depth=2, rounds=3),
    "diffusion-reaction": dict(samples=100, sensors=101, points=10201, coordinates=2, width=100, depth=3, rounds=2),
}
CLIENTS, STEPS, BATCH, TURNS = 10, 5, 64, 3

task = TASKS[sys.argv[1]]
platform = sys.argv[2] if len(sys.argv) > 2 else "cpu"
if platform == "cuda":
    task["rounds"] = 100
    assert jax.default_backend() == "gpu", "JAX finds no GPU"
jax.config.update("jax_default_matmul_precision", "highest")
key = jax.random.PRNGKey(0)


def network(inputs):
    sizes = [inputs] + [task["width"]] * task["depth"]
    pairs = zip(jax.random.split(key, task["depth"]), sizes[:-1], sizes[1:])
    return [(jax.random.normal(k, (a, b)) * (2 / (a + b)) ** 0.5, jnp.zeros(b)) for k, a, b in pairs]


def apply(layers, x, activate_last):
    for i, (weight, bias) in enumerate(layers):
        x = x @ weight + bias
        if i + 1 < len(layers) or activate_last:
            x = jax.nn.relu(x)
    return x


points = jax.random.uniform(key, (task["points"], task["coordinates"]))
inputs = jax.random.uniform(key, (CLIENTS, task["samples"], task["sensors"]))
responses = jax.random.uniform(key, (CLIENTS, task["samples"], task["points"]))


def loss(model, a, u):
    branch = apply(model["branch"], a, False)
    return jnp.mean((branch @ apply(model["trunk"], points, True).T + model["bias"] - u) ** 2)


def client(model, first, second, a, u, batches, start):
    def step(state, batch):
        model, first, second, t = state
        gradient = jax.grad(loss)(model, a[batch], u[batch])
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
        model = jax.tree.map(
            lambda p, m, v: p - 1e-3 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8),
            model,
            first,
            second,
        )
        return (model, first, second, t + 1), None

    return jax.lax.scan(step, (model, first, second, start), batches)[0][:3]


@jax.jit
def round_of(model, first, second, key, start):
    batches = jax.random.randint(key, (CLIENTS, STEPS, BATCH), 0, task["samples"])
    local, first, second = jax.vmap(client, in_axes=(None, 0, 0, 0, 0, 0, None))(
        model, first, second, inputs, responses, batches, start
    )
    return jax.tree.map(lambda p: p.mean(0), local), first, second


model = dict(branch=network(task["sensors"]), trunk=network(task["coordinates"]), bias=jnp.zeros(()))
first = second = jax.tree.map(lambda p: jnp.zeros((CLIENTS,) + p.shape), model)
model, first, second = round_of(model, first, second, key, 1.0)
jax.block_until_ready(model)
best = float("inf")
for turn in range(TURNS):
    keys = [jax.random.PRNGKey(r) for r in range(task["rounds"])]
    begin = time.perf_counter()
    for r in range(task["rounds"]):
        model, first, second = round_of(model, first, second, keys[r], 1.0 + STEPS * (r + 1))
    jax.block_until_ready(model)
    best = min(best, (time.perf_counter() - begin) / (task["rounds"] * CLIENTS * STEPS))
json.dump({"milliseconds": 1000 * best, "version": jax.__version__}, sys.stdout)
