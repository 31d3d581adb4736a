"""Milliseconds per client step of the models in JAX: the whole round compiled.

Arguments: name of a case; `cuda` for a GPU, which JAX_PLATFORMS must allow.
"""

import itertools
import sys

from federated_jax import CLIENTS, ON_GPU, jax, jnp, one_after_another, side_by_side, tell_step

CASES = {
    "fno2d": dict(grid=(64, 64)),
    "fno2d-128": dict(grid=(128, 128)),
    "fno1d": dict(grid=(1024,), width=64, modes=16, batch=32),
    "fno3d": dict(grid=(32, 32, 32), width=20, modes=8, batch=4),
    "deeponet-64": dict(points=64 * 64, sensors=100, width=64, depth=3, batch=64),
    "inversion-net-1000": dict(time=1000),
    "inversion-net-250": dict(time=250),
}
keys = iter(jax.random.split(jax.random.PRNGKey(0), 128))


def weight(*shape):
    return 0.05 * jax.random.normal(next(keys), shape)


def uniform(*shape):
    return jax.random.uniform(next(keys), shape)


def affine(x, layer):
    return x @ layer[0] + layer[1]


def fno(grid, width=32, modes=12, layers=4, projection=128):
    """Initial model, prediction and the shapes of a sample, channels last."""
    axes = len(grid)
    kept_shape = (2 * modes,) * (axes - 1) + (modes, width, width)
    model = dict(
        lift=(weight(axes + 1, width), weight(width)),
        layers=[
            dict(
                spectral=(weight(*kept_shape), weight(*kept_shape)),
                local=(weight(width, width), weight(width)),
            )
            for _ in range(layers)
        ],
        project1=(weight(width, projection), weight(projection)),
        project2=(weight(projection, 1), weight(1)),
    )
    places = jnp.stack(jnp.meshgrid(*(jnp.linspace(0, 1, n) for n in grid), indexing="ij"), -1)
    over = tuple(range(1, 1 + axes))
    letters = "xyz"[:axes]
    product = f"b{letters}i,{letters}io->b{letters}o"
    low, high = (slice(0, modes), slice(0, modes)), (slice(-modes, None), slice(modes, None))
    corners = [(*corner, low) for corner in itertools.product([low, high], repeat=axes - 1)]

    def spectral(x, layer):
        """The lowest modes of both signs along all axes but the last, and of one sign there, mixed by a matrix each."""
        spectrum = jnp.fft.rfftn(x, axes=over)
        for axis in over[:-1]:
            low_part = jax.lax.slice_in_dim(spectrum, 0, modes, axis=axis)
            high_part = jax.lax.slice_in_dim(spectrum, spectrum.shape[axis] - modes, spectrum.shape[axis], axis=axis)
            spectrum = jnp.concatenate([low_part, high_part], axis)
        kept = jax.lax.slice_in_dim(spectrum, 0, modes, axis=axes)
        mixed = jnp.einsum(product, kept, jax.lax.complex(*layer))
        full = jnp.zeros((len(x), *grid[:-1], grid[-1] // 2 + 1, width), mixed.dtype)
        for corner in corners:
            there, here = tuple(one for one, _ in corner), tuple(one for _, one in corner)
            full = full.at[(slice(None), *there)].set(mixed[(slice(None), *here)])
        return jnp.fft.irfftn(full, s=grid, axes=over)

    def predict(model, fields):
        x = jnp.concatenate([fields, jnp.broadcast_to(places, (len(fields), *grid, axes))], -1)
        x = affine(x, model["lift"])
        for i, layer in enumerate(model["layers"]):
            x = spectral(x, layer["spectral"]) + affine(x, layer["local"])
            if i + 1 < layers:
                x = jax.nn.gelu(x, approximate=False)
        return affine(jax.nn.gelu(affine(x, model["project1"]), approximate=False), model["project2"])

    return model, predict, (*grid, 1), (*grid, 1)


def deeponet(points, sensors, width, depth):
    def network(inputs):
        return [(weight(inputs if i == 0 else width, width), jnp.zeros(width)) for i in range(depth)]

    places = uniform(points, 2)

    def apply(layers, x, activate_last):
        for i, layer in enumerate(layers):
            x = affine(x, layer)
            if i + 1 < depth or activate_last:
                x = jax.nn.relu(x)
        return x

    def predict(model, x):
        return apply(model["branch"], x, False) @ apply(model["trunk"], places, True).T + model["bias"]

    model = dict(branch=network(sensors), trunk=network(2), bias=jnp.zeros(()))
    return model, predict, (sensors,), (points,)


def inversion_net(length, channels=(8, 16, 32, 64, 128), sources=5):
    """The same of strided stages over time alone, then over both axes, and a transposed decoder from 1 x 1 to 80 x 80."""
    d1, d2, d3, d4, d5 = channels
    halvings = {1000: 4, 500: 3, 250: 2, 125: 1}[length]
    stages, last = [], sources

    def add(width, kernel, stride=(1, 1), padding=(0, 0), up=False):
        nonlocal last
        stages.append((width, kernel, stride, padding, up, last))
        last = width

    for i, width in enumerate([d1, d2, d2, d3][4 - halvings :]):
        k = 7 if i == 0 else 3
        add(width, (k, 1), (2, 1), (k // 2, 0))
        if i > 0:
            add(width, (3, 1), padding=(1, 0))
    for width in (d3, d4, d4):
        add(width, (3, 3), (2, 2), (1, 1))
        add(width, (3, 3), padding=(1, 1))
    add(d5, (8, 9))
    for i, width in enumerate((d5, d4, d3, d2, d1)):
        add(width, *(((5, 5), (2, 2), (0, 0)) if i == 0 else ((4, 4), (2, 2), (1, 1))), up=True)
        add(width, (3, 3), padding=(1, 1))
    model = dict(
        stages=[
            dict(kernel=weight(width, inputs, *kernel), scale=1 + weight(width), shift=weight(width))
            for width, kernel, _, _, _, inputs in stages
        ],
        last=(weight(1, last, 3, 3), weight(1)),
    )
    layout = ("NCHW", "OIHW", "NCHW")

    def convolve(x, kernel, stride, padding, up):
        if not up:
            pairs = [(p, p) for p in padding]
            return jax.lax.conv_general_dilated(x, kernel, stride, pairs, dimension_numbers=layout)
        pairs = [(k - 1 - p, k - 1 - p) for k, p in zip(kernel.shape[2:], padding)]
        return jax.lax.conv_transpose(x, kernel, stride, pairs, dimension_numbers=layout)

    def normalise(x, scale, shift):
        """By groups of eight channels."""
        grouped = x.reshape(len(x), x.shape[1] // 8, -1)
        mean = grouped.mean(-1, keepdims=True)
        variance = ((grouped - mean) ** 2).mean(-1, keepdims=True)
        x = ((grouped - mean) / jnp.sqrt(variance + 1e-5)).reshape(x.shape)
        return x * scale[:, None, None] + shift[:, None, None]

    def predict(model, x):
        for (_, _, stride, padding, up, _), own in zip(stages, model["stages"]):
            x = normalise(convolve(x, own["kernel"], stride, padding, up), own["scale"], own["shift"])
            x = jax.nn.leaky_relu(x, 0.2)
        kernel, bias = model["last"]
        return jnp.tanh(convolve(x[:, :, 5:-5, 5:-5], kernel, (1, 1), (1, 1), False) + bias[:, None, None])

    return model, predict, (sources, length, 70), (1, 70, 70)


def problem(name, samples=32):
    """Loss, initial model and random data, of so many samples a client."""
    case = dict(CASES[name])
    batch = case.pop("batch", 16)
    if "grid" in case:
        built = fno(**case)
    elif "points" in case:
        built = deeponet(**case)
    else:
        built = inversion_net(case["time"])
    model, predict, input_shape, response_shape = built
    # Convolutions of several clients at once are grouped ones, for which the compiler takes minutes; and on a processor
    # activations of all clients at once leave the cache.
    together = "time" not in case and (ON_GPU or "points" in case)
    clients = CLIENTS if together else 2
    return dict(
        loss=lambda model, a, u: jnp.mean((predict(model, a) - u) ** 2),
        model=model,
        inputs=uniform(clients, samples, *input_shape),
        responses=uniform(clients, samples, *response_shape),
        batch=batch,
        way=side_by_side if together else one_after_another,
    )


if __name__ == "__main__":
    tell_step(problem(sys.argv[1]), rounds=5 if ON_GPU else 1)
