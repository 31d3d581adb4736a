"""Rounds of federated learning in JAX: the whole round compiled, local Adam steps by scan, batches drawn within."""

import json
import math
import os
import sys
import time
from types import SimpleNamespace

CLIENTS, STEPS, TURNS = 10, 5, 3
ON_GPU = len(sys.argv) > 2 and sys.argv[2] == "cuda"
if len(sys.argv) > 2 and sys.argv[2] == "core":
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # before JAX counts the cores
import jax
import jax.numpy as jnp

if ON_GPU:
    assert jax.default_backend() == "gpu", "JAX finds no GPU"
jax.config.update("jax_default_matmul_precision", "highest")


def side_by_side(client):
    return jax.vmap(client, in_axes=(None, 0))


def one_after_another(client):
    return lambda shared, own: jax.lax.map(lambda one: client(shared, one), own)


def each(function, *trees):
    return jax.tree.map(function, *trees)


def strategy(**parts):
    """A federated algorithm; what it leaves out is that of federated averaging.

    `server` and `client` name vectors that are kept, zero at first. `gradient(g, w, x, server, own)` corrects a step of a
    client, `personal` that of its second model; `full` asks for the gradient over all samples of a client, which becomes its
    vector `control`. `aggregate(x, mean, server, changes)` gives the server's weights and vectors, where `changes` are the
    means of what the clients' vectors changed by.
    """
    usual = dict(server=(), client=(), gradient=None, personal=None, full=False)
    return SimpleNamespace(**usual | dict(aggregate=lambda x, mean, server, changes: (mean, server)) | parts)


FEDAVG = strategy()


def rounds_of(chosen, loss, model, inputs, responses, batch, way=side_by_side):
    """A compiled round, (state, key, start) -> state, and the first state.

    `inputs` and `responses` have clients and their samples as first axes; `way` is how the clients are gone through.
    """
    clients = len(inputs)

    def walk(model, moments, correct, a, u, batches, start):
        def step(state, batch):
            model, first, second, t = state
            gradient = jax.grad(loss)(model, a[batch], u[batch])
            if correct:
                gradient = correct(gradient, model)
            first = each(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
            second = each(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
            model = each(
                lambda p, m, v: p - 1e-3 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8),
                model,
                first,
                second,
            )
            return (model, first, second, t + 1), None

        model, first, second, _ = jax.lax.scan(step, (model, *moments, start), batches)[0]
        return model, (first, second)

    def client(shared, one):
        x, server, start = shared
        own, a, u, batches = one
        correct = chosen.gradient and (lambda g, w: chosen.gradient(g, w, x, server, own))
        after = dict(own)
        local, after["moments"] = walk(x, own["moments"], correct, a, u, batches, start)
        if chosen.full:
            after["control"] = jax.grad(loss)(x, a, u)
        if chosen.personal:
            pull = lambda g, v: chosen.personal(g, v, x)
            after["model"], after["model moments"] = walk(
                own["model"], own["model moments"], pull, a, u, batches, start
            )
        return local, after

    def round_of(state, key, start):
        x, server, before = state
        batches = jax.random.randint(key, (clients, STEPS, batch), 0, inputs.shape[1])
        local, after = way(client)((x, server, start), (before, inputs, responses, batches))
        mean = each(lambda p: p.mean(0), local)
        changes = {name: each(lambda a, b: (a - b).mean(0), after[name], before[name]) for name in chosen.client}
        x, server = chosen.aggregate(x, mean, server, changes)
        return x, server, after

    zeros = each(jnp.zeros_like, model)
    of_clients = each(lambda p: jnp.zeros((clients,) + p.shape), model)
    own = dict(moments=(of_clients, of_clients), **{name: of_clients for name in chosen.client})
    if chosen.personal:
        own["model"] = each(lambda p: jnp.broadcast_to(p, (clients,) + p.shape), model)
        own["model moments"] = (of_clients, of_clients)
    return jax.jit(round_of), (model, {name: zeros for name in chosen.server}, own)


def round_times(strategies, problem, rounds=None, shortest=0.3):
    """Milliseconds of a round of each strategy, the least of some turns that they take one after another."""
    runs = {name: rounds_of(one, **problem) for name, one in strategies.items()}
    for name, (round_of, state) in runs.items():
        runs[name] = (round_of, jax.block_until_ready(round_of(state, jax.random.PRNGKey(1), 1.0)))
    best = dict.fromkeys(runs, math.inf)
    count, turns = rounds or 1, TURNS if rounds else TURNS + 1
    for turn in range(turns):
        if turn == 1 and not rounds:
            count = math.ceil(shortest / min(best.values()))
        if turn == 2 and min(best.values()) > 1:
            break  # seconds vary less
        for name, (round_of, state) in runs.items():
            keys = [jax.random.PRNGKey(r) for r in range(count)]
            begin = time.perf_counter()
            for r in range(count):
                state = round_of(state, keys[r], 1.0 + STEPS * (r + 1))
            jax.block_until_ready(state)
            best[name] = min(best[name], (time.perf_counter() - begin) / count)
    return {name: 1000 * seconds for name, seconds in best.items()}


def tell_step(problem, rounds):
    """Prints the milliseconds of a client's step of federated averaging."""
    found = round_times(dict(fedavg=FEDAVG), problem, rounds)["fedavg"]
    milliseconds = found / (len(problem["inputs"]) * STEPS)
    json.dump({"milliseconds": milliseconds, "version": jax.__version__}, sys.stdout)
