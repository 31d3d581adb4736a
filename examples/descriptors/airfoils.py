"""Airfoils with a mesh each, and descriptors by which they can be partitioned. Needs NumPy.

    python airfoils.py airfoils.npz

The flow is exact: potential flow past Joukowski airfoils with the Kutta condition, on a mesh that follows each airfoil.
Replace `airfoil` by your own meshes and fields; `to_grid`, `pod` and `standardised` stay.
"""

import sys

import numpy as np

SAMPLES, AROUND, OUTWARD = 400, 64, 16
MODES = 6


def airfoil(thickness, camber, angle):
    """Points (P, 2) of a mesh, pressure coefficient (P,) on it, lift and drag."""
    # A circle through zeta = 1 about a centre beside the origin becomes an airfoil under z = zeta + 1 / zeta.
    centre = -thickness + 1j * camber
    radius = abs(1 - centre)
    around = np.linspace(0, 2 * np.pi, AROUND, endpoint=False) + 1e-3  # off the trailing edge, where dz = 0
    outward = np.linspace(0, 1, OUTWARD) ** 2
    zeta = centre + radius * (1 + 3 * outward[:, None]) * np.exp(1j * (around + np.angle(1 - centre)))
    z = zeta + 1 / zeta
    circulation = 4 * np.pi * radius * np.sin(angle - np.angle(1 - centre))
    offset = zeta - centre
    potential = np.exp(-1j * angle) - np.exp(1j * angle) * radius**2 / offset**2
    velocity = (potential + 1j * circulation / (2 * np.pi * offset)) / (1 - 1 / zeta**2)
    speed2 = abs(velocity) ** 2
    chord = np.ptp(z[0].real)
    lift = 2 * circulation / chord
    # Potential flow has no drag: a friction coefficient of 0.003 times the dynamic pressure along the surface.
    length = abs(np.roll(z[0], -1) - z[0])
    drag = 0.003 * np.sum(np.minimum(speed2[0], 9) * length) / chord
    points = np.stack([z.real.ravel(), z.imag.ravel()], axis=1)
    return points, (1 - np.minimum(speed2, 9)).ravel(), lift, drag


def to_grid(points, values, grid, neighbours=4):
    """Values at the points of a common grid, from the nearest points of the mesh, weighted by inverse square distance."""
    distance2 = ((grid[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    nearest = np.argpartition(distance2, neighbours, axis=1)[:, :neighbours]
    weights = 1 / (np.take_along_axis(distance2, nearest, axis=1) + 1e-12)
    return (weights * values[nearest]).sum(axis=1) / weights.sum(axis=1)


def pod(fields, modes):
    """Coefficients (N, modes) of the fields (N, G) in their first POD modes, and the share of the variance that they hold."""
    centred = fields - fields.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    return left[:, :modes] * sizes[:modes], (sizes[:modes] ** 2).sum() / (sizes**2).sum()


def standardised(block):
    """Columns with mean 0, over one number: the standard deviation of the block. A single column gets deviation 1."""
    centred = block - block.mean(axis=0)
    return centred / np.sqrt((centred**2).sum(axis=1).mean())


def main(path):
    rng = np.random.default_rng(0)
    thickness = rng.uniform(0.05, 0.2, SAMPLES)
    camber = rng.uniform(0, 0.15, SAMPLES)
    angle = np.radians(rng.uniform(-4, 10, SAMPLES))
    mesh, cp, cl, cd = map(np.array, zip(*map(airfoil, thickness, camber, angle)))

    x, y = np.meshgrid(np.linspace(-3, 3, 40), np.linspace(-1.5, 1.5, 20), indexing="ij")
    grid = np.stack([x.ravel(), y.ravel()], axis=1)
    fields = np.array([to_grid(points, values, grid) for points, values in zip(mesh, cp)])
    coefficients, share = pod(fields, MODES)
    print(f"{MODES} POD modes hold {100 * share:.1f} % of the variance of cp")

    # One block for each quantity, so that each weighs the same; POD coefficients keep their sizes relative to each other.
    blocks = [cl[:, None], cd[:, None], coefficients]
    np.savez(
        path,
        mesh=mesh.astype("float32"),
        cp=cp.astype("float32"),
        parameters=np.stack([thickness, camber, angle], axis=1),
        cl=cl,
        cd=cd,
        pod=coefficients,
        plain=np.hstack(blocks),
        descriptors=np.hstack([standardised(block) for block in blocks]),
    )


if __name__ == "__main__":
    main(sys.argv[1])
