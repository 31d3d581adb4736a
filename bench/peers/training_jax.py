"""Milliseconds per client step of DeepONet in JAX: the whole round compiled, clients by vmap, all cores.

Arguments: name of a task; `cuda` for a GPU, which JAX_PLATFORMS must allow.
"""

import sys

from federated_jax import CLIENTS, ON_GPU, jax, jnp, tell_step

TASKS = {
    "antiderivative": dict(samples=100, sensors=100, points=100, coordinates=1, width=40, depth=2, rounds=100),
    "burgers": dict(samples=80, sensors=101, points=10201, coordinates=2, width=64, depth=2, rounds=3),
    "diffusion-reaction": dict(samples=100, sensors=101, points=10201, coordinates=2, width=100, depth=3, rounds=2),
}


def problem(name):
    """Loss, initial model and random data of all clients."""
    task = TASKS[name]
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

    def loss(model, a, u):
        branch = apply(model["branch"], a, False)
        return jnp.mean((branch @ apply(model["trunk"], points, True).T + model["bias"] - u) ** 2)

    return dict(
        loss=loss,
        model=dict(branch=network(task["sensors"]), trunk=network(task["coordinates"]), bias=jnp.zeros(())),
        inputs=jax.random.uniform(key, (CLIENTS, task["samples"], task["sensors"])),
        responses=jax.random.uniform(key, (CLIENTS, task["samples"], task["points"])),
        batch=64,
    )


if __name__ == "__main__":
    tell_step(problem(sys.argv[1]), rounds=100 if ON_GPU else TASKS[sys.argv[1]]["rounds"])
