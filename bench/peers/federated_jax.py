"""Rounds of federated averaging in JAX: the whole round compiled, local Adam steps by scan, batches drawn within."""

import json
import sys
import time

import jax
import jax.numpy as jnp

CLIENTS, STEPS, TURNS = 10, 5, 3
ON_GPU = len(sys.argv) > 2 and sys.argv[2] == "cuda"
if ON_GPU:
    assert jax.default_backend() == "gpu", "JAX finds no GPU"
jax.config.update("jax_default_matmul_precision", "highest")


def side_by_side(client):
    return jax.vmap(client, in_axes=(None, 0, 0, 0, 0, 0, None))


def one_after_another(client):
    def each(model, first, second, a, u, batches, start):
        return jax.lax.map(lambda own: client(model, *own, start), (first, second, a, u, batches))

    return each


def tell_step(loss, model, inputs, responses, batch, rounds, way=side_by_side):
    """Prints the milliseconds of a client's step. `inputs` and `responses` have clients and their samples as first axes.

    `way` is how the clients are gone through.
    """
    clients = len(inputs)

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
        batches = jax.random.randint(key, (clients, STEPS, batch), 0, inputs.shape[1])
        local, first, second = way(client)(model, first, second, inputs, responses, batches, start)
        return jax.tree.map(lambda p: p.mean(0), local), first, second

    first = second = jax.tree.map(lambda p: jnp.zeros((clients,) + p.shape), model)
    model, first, second = round_of(model, first, second, jax.random.PRNGKey(1), 1.0)
    jax.block_until_ready(model)
    best = float("inf")
    for turn in range(TURNS):
        keys = [jax.random.PRNGKey(r) for r in range(rounds)]
        begin = time.perf_counter()
        for r in range(rounds):
            model, first, second = round_of(model, first, second, keys[r], 1.0 + STEPS * (r + 1))
        jax.block_until_ready(model)
        best = min(best, (time.perf_counter() - begin) / (rounds * clients * STEPS))
    json.dump({"milliseconds": 1000 * best, "version": jax.__version__}, sys.stdout)
