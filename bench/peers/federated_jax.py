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


def adam(model, moments, gradient, t):
    first = each(lambda m, g: 0.9 * m + 0.1 * g, moments[0], gradient)
    second = each(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], gradient)
    model = each(
        lambda p, m, v: p - 1e-3 * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8),
        model,
        first,
        second,
    )
    return model, (first, second)


def momentum_sgd(rate, momentum):
    """Steps with a velocity that starts every round at zero: its state is none."""

    def update(model, velocity, gradient, _):
        velocity = each(lambda v, g: momentum * v + g, velocity, gradient)
        return each(lambda p, v: p - rate * v, model, velocity), velocity

    return update


def strategy(**parts):
    """A federated algorithm; what it leaves out is that of federated averaging.

    `server` and `client` name vectors that are kept, zero at first. `gradient(g, w, x, server, own)` corrects a step of a
    client, `settle(new, w, x)` what comes of it, `personal` the gradient of its second model. `finish(x, y, server, own, full)`
    gives the client's new vectors, where `full()` is the gradient over all its samples at x. `sends(x, y, steps)` is what the
    server averages, and `aggregate(x, mean, server, changes, steps)` gives its weights and vectors, where `changes` are the
    means of what the clients' vectors changed by. With `alone` clients go on from their own weights, with `velocity` their
    optimiser is another and starts anew in each round, and with `epochs` they take as many passes through their samples.
    """
    usual = dict(server=(), client=(), gradient=None, settle=None, personal=None, finish=None)
    usual |= dict(alone=False, velocity=None, epochs=None, sends=lambda x, y, steps: y)
    return SimpleNamespace(**usual | dict(aggregate=lambda x, mean, server, changes, steps: (mean, server)) | parts)


FEDAVG = strategy()


def rounds_of(chosen, loss, model, inputs, responses, batch, way=side_by_side):
    """A compiled round, (state, key, start) -> state, and the first state.

    `inputs` and `responses` have clients and their samples as first axes; `way` is how the clients are gone through.
    """
    clients = len(inputs)
    steps = STEPS if chosen.epochs is None else chosen.epochs * math.ceil(inputs.shape[1] / batch)
    zeros = each(jnp.zeros_like, model)
    of_clients = each(lambda p: jnp.zeros((clients,) + p.shape), model)
    of_each = each(lambda p: jnp.broadcast_to(p, (clients,) + p.shape), model)

    def walk(model, moments, correct, settle, a, u, batches, start, taken):
        def step(state, chosen_now):
            batch, index = chosen_now
            before, moments, t = state
            gradient = jax.grad(loss)(before, a[batch], u[batch])
            if correct:
                gradient = correct(gradient, before)
            after = (chosen.velocity or adam)(before, moments, gradient, t)
            if settle:
                after = (settle(after[0], before), after[1])
            if chosen.epochs is not None:  # a client may take fewer steps than others
                after = each(lambda new, old: jnp.where(index < taken, new, old), after, (before, moments))
            return (*after, t + 1), None

        state = (model, moments if chosen.velocity is None else zeros, start)
        model, moments, _ = jax.lax.scan(step, state, (batches, jnp.arange(steps)))[0]
        return model, moments

    def client(shared, one):
        x, server, start = shared
        own, a, u, batches, taken = one
        correct = chosen.gradient and (lambda g, w: chosen.gradient(g, w, x, server, own))
        settle = chosen.settle and (lambda new, w: chosen.settle(new, w, x))
        after = dict(own)
        begin = own["weights"] if chosen.alone else x
        moments = own.get("moments")
        local, moments = walk(begin, moments, correct, settle, a, u, batches, start, taken)
        if chosen.velocity is None:
            after["moments"] = moments
        if chosen.alone:
            after["weights"] = local
        if chosen.finish:
            after |= chosen.finish(x, local, server, own, lambda: jax.grad(loss)(x, a, u))
        if chosen.personal:
            pull = lambda g, v: chosen.personal(g, v, x)
            after["model"], after["model moments"] = walk(
                own["model"], own["model moments"], pull, None, a, u, batches, start, taken
            )
        return chosen.sends(x, local, taken), after

    def round_of(state, key, start, taken):
        x, server, before = state
        batches = jax.random.randint(key, (clients, steps, batch), 0, inputs.shape[1])
        sent, after = way(client)((x, server, start), (before, inputs, responses, batches, taken))
        mean = each(lambda p: p.mean(0), sent)
        changes = {name: each(lambda a, b: (a - b).mean(0), after[name], before[name]) for name in chosen.client}
        x, server = chosen.aggregate(x, mean, server, changes, taken.mean())
        return x, server, after

    own = {name: of_clients for name in chosen.client}
    if chosen.velocity is None:
        own["moments"] = (of_clients, of_clients)
    if chosen.alone:
        own["weights"] = of_each
    if chosen.personal:
        own["model"] = of_each
        own["model moments"] = (of_clients, of_clients)
    compiled = jax.jit(round_of)
    taken = jnp.full(clients, float(steps))
    return (lambda state, key, start: compiled(state, key, start, taken)), (
        model,
        {name: zeros for name in chosen.server},
        own,
    )


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
