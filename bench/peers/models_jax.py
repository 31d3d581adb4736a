"""Milliseconds per client step of FNO2D and InversionNet-lite in JAX: the whole round compiled.

Arguments: name of a case; `cuda` for a GPU, which JAX_PLATFORMS must allow.
"""

import sys

import jax
import jax.numpy as jnp
from federated_jax import CLIENTS, ON_GPU, one_after_another, side_by_side, tell_step

BATCH, SAMPLES = 16, 32
CASES = {
    "fno2d": dict(grid=64),
    "fno2d-128": dict(grid=128),
    "inversion-net-1000": dict(time=1000),
    "inversion-net-250": dict(time=250),
}
keys = iter(jax.random.split(jax.random.PRNGKey(0), 128))


def weight(*shape):
    return 0.05 * jax.random.normal(next(keys), shape)


def uniform(*shape):
    return jax.random.uniform(next(keys), shape)


def fno2d(grid, width=32, modes=12, layers=4, projection=128):
    """Initial model, prediction and the shapes of a sample, channels last."""
    model = dict(
        lift=(weight(3, width), weight(width)),
        layers=[
            dict(
                spectral=(weight(2 * modes, modes, width, width), weight(2 * modes, modes, width, width)),
                local=(weight(width, width), weight(width)),
            )
            for _ in range(layers)
        ],
        project1=(weight(width, projection), weight(projection)),
        project2=(weight(projection, 1), weight(1)),
    )
    axis = jnp.linspace(0, 1, grid)
    places = jnp.stack(jnp.meshgrid(axis, axis, indexing="ij"), -1)

    def affine(x, layer):
        return x @ layer[0] + layer[1]

    def spectral(x, layer):
        """The lowest modes of both signs along rows and of one sign along columns, mixed by a matrix each."""
        spectrum = jnp.fft.rfft2(x, axes=(1, 2))
        kept = jnp.concatenate([spectrum[:, :modes, :modes], spectrum[:, -modes:, :modes]], 1)
        mixed = jnp.einsum("bxyi,xyio->bxyo", kept, jax.lax.complex(*layer))
        full = jnp.zeros(spectrum.shape, spectrum.dtype)
        full = full.at[:, :modes, :modes].set(mixed[:, :modes]).at[:, -modes:, :modes].set(mixed[:, modes:])
        return jnp.fft.irfft2(full, s=x.shape[1:3], axes=(1, 2))

    def predict(model, fields):
        x = jnp.concatenate([fields, jnp.broadcast_to(places, (len(fields), grid, grid, 2))], -1)
        x = affine(x, model["lift"])
        for i, layer in enumerate(model["layers"]):
            x = spectral(x, layer["spectral"]) + affine(x, layer["local"])
            if i + 1 < layers:
                x = jax.nn.gelu(x, approximate=False)
        return affine(jax.nn.gelu(affine(x, model["project1"]), approximate=False), model["project2"])

    return model, predict, (grid, grid, 1), (grid, grid, 1)


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


case = CASES[sys.argv[1]]
model, predict, input_shape, response_shape = (
    fno2d(case["grid"]) if "grid" in case else inversion_net(case["time"])
)


def loss(model, a, u):
    return jnp.mean((predict(model, a) - u) ** 2)


tell_step(
    loss,
    model,
    inputs=uniform(CLIENTS, SAMPLES, *input_shape),
    responses=uniform(CLIENTS, SAMPLES, *response_shape),
    batch=BATCH,
    rounds=5 if ON_GPU else 1,
    # Convolutions of several clients at once are grouped ones, for which the compiler takes minutes.
    way=side_by_side if "grid" in case else one_after_another,
)
