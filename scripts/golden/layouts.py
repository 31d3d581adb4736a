"""Writes small files in the layouts of public data, for test/datasets/layouts.test.ts.

Every array counts upwards in the order in which it is to be read, so that each number tells its place.
Needs numpy and h5py: python scripts/golden/layouts.py
"""

from pathlib import Path

import h5py
import numpy as np

OUT = Path(__file__).parents[2] / "test" / "golden" / "layouts"


def counting(*shape, dtype="f4"):
    return np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)


def create(name, **options):
    return h5py.File(OUT / name, "w", libver="latest", track_order=False, **options)


def put(group, name, values):
    return group.create_dataset(name, data=values, compression="gzip", shuffle=True)


def matlab():
    """As MATLAB's save -v7.3: a user block, axes reversed, a class for each variable, contents of cells in #refs#."""
    with create("matlab.mat", userblock_size=512) as file:

        def save(name, values, kind):
            dataset = file.create_dataset(name, data=np.ascontiguousarray(np.asarray(values).T))
            dataset.attrs["MATLAB_class"] = np.bytes_(kind)
            return dataset

        save("u", counting(12, 4, 3, 5, dtype="f8"), "double")
        save("a", counting(12, 4, 3), "single")
        save("t", np.linspace(0.5, 2.5, 5)[None, :], "double")
        save("nu", np.arange(12.0)[:, None] / 10, "double")
        save("note", np.frombuffer("text".encode("utf-16-le"), "u2")[None, :], "char").attrs["MATLAB_int_decode"] = 2
        save("nothing", np.array([0, 0], "u8"), "double").attrs["MATLAB_empty"] = np.uint8(1)
        save("#refs#/b", counting(2, 2), "double")
        cell = file.create_dataset("cells", (1, 1), dtype=h5py.ref_dtype)
        cell[0, 0] = file["#refs#/b"].ref
        cell.attrs["MATLAB_class"] = np.bytes_("cell")
    with open(OUT / "matlab.mat", "r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + bytes(8) + b"\x00\x02IM")


def pdebench():
    with create("pdebench-1d.hdf5") as file:
        put(file, "tensor", counting(5, 4, 8))
        file["x-coordinate"] = np.linspace(0.0625, 0.9375, 8, dtype="f4")
        file["t-coordinate"] = np.linspace(0, 2, 5, dtype="f4")  # one more than there are frames
        file.attrs["beta"] = 0.4
    with create("pdebench-cfd.hdf5") as file:
        for i, name in enumerate(["density", "pressure", "Vx", "Vy"]):
            put(file, name, 10000 * i + counting(3, 4, 8, 8))
        for i, axis in enumerate("xy"):
            file[f"{axis}-coordinate"] = (i + np.arange(8, dtype="f4")) / 8
        file["t-coordinate"] = np.arange(5, dtype="f4") / 4
        file.attrs.update(eta=1e-8, zeta=1e-8, M=0.1)
    with create("pdebench-groups.h5") as file:
        for seed in range(4):
            group = file.create_group(f"{seed:04d}")
            put(group, "data", 1000 * seed + counting(5, 8, 2))
            group["grid/x"] = np.linspace(-1, 1, 8, dtype="f4")
            group["grid/t"] = np.linspace(0, 1, 5, dtype="f4")
    with create("pdebench-ns.h5") as file:  # repacked with gzip: the published files have LZF
        put(file, "velocity", counting(4, 5, 8, 9, 2))
        put(file, "particles", 10000 + counting(4, 5, 8, 9, 1))
        put(file, "force", 20000 + counting(4, 8, 9, 2))
        file["t"] = np.tile(np.linspace(0, 1, 5, dtype="f4"), (4, 1))


def helmholtz():
    """As Poseidon's Helmholtz.h5: Sample_i/{a,bc,u}, and not in the order of their names."""
    with create("helmholtz.h5") as file:
        for i in range(12):
            put(file, f"Sample_{i}/a", 100 * i + counting(8, 8, dtype="f8"))
            put(file, f"Sample_{i}/u", 100 * i + 0.5 + counting(8, 8, dtype="f8"))
            file[f"Sample_{i}/bc"] = float(i)


def the_well():
    """The data format of The Well: booleans as HDF5 enumerations, fields that lack an axis."""
    trajectories, times, x, y = 3, 4, 8, 9
    with create("the-well.hdf5") as file:
        file.attrs.update(dataset_name="little_well", grid_type="cartesian", n_spatial_dims=2, n_trajectories=trajectories)
        file.attrs["simulation_parameters"] = ["Re"]
        file.attrs["Re"] = 250.0
        dimensions = file.create_group("dimensions")
        dimensions.attrs["spatial_dims"] = ["x", "y"]
        for name, values in {
            "time": np.linspace(0, 1.5, times),
            "x": np.linspace(0, 7, x),
            "y": np.linspace(-4, 4, y),
        }.items():
            dimensions[name] = values.astype("f4")
            dimensions[name].attrs["sample_varying"] = False
        mask = file.create_dataset("boundary_conditions/x_periodic/mask", data=np.zeros(x, bool))
        mask.attrs["sample_varying"] = False
        scalars = file.create_group("scalars")
        scalars.attrs["field_names"] = ["Re", "forcing"]
        scalars["Re"] = 250.0
        scalars["forcing"] = np.array([0.5, 1.5, 2.5], "f4")
        for name, varies in {"Re": False, "forcing": True}.items():
            scalars[name].attrs.update(sample_varying=varies, time_varying=False)

        def field(name, values, sample=True, time=True, space=(True, True)):
            dataset = put(file, name, values)
            dataset.attrs.update(sample_varying=sample, time_varying=time)
            dataset.attrs["dim_varying"] = np.array(space, bool)

        field("t0_fields/buoyancy", counting(trajectories, times, x, y))
        field("t0_fields/depth", counting(x, y), sample=False, time=False)
        field("t0_fields/profile", counting(trajectories, y), time=False, space=(False, True))
        field("t1_fields/velocity", counting(trajectories, times, x, y, 2))
        field("t2_fields/stress", counting(trajectories, times, x, y, 2, 2))


def pdegym():
    """As PDEgym's netCDF-4: named dimensions without coordinates."""
    lengths = {"member": 5, "time": 3, "channel": 2, "x": 8, "y": 8}
    with create("pdegym.nc") as file:
        file.attrs["_NCProperties"] = np.bytes_("version=2,h5netcdf=1.3.0")
        for i, (name, length) in enumerate(lengths.items()):
            dimension = file.create_dataset(name, (length,), ">f4")
            dimension.make_scale(f"This is a netCDF dimension but not a netCDF variable.{length:10d}")
            dimension.attrs["_Netcdf4Dimid"] = np.int32(i)
        velocity = put(file, "velocity", counting(*lengths.values()))
        for axis, name in enumerate(lengths):
            velocity.dims[axis].attach_scale(file[name])


def pdearena():
    with create("pdearena.h5") as file:
        for split, count in {"train": 5, "test": 2}.items():
            for i, name in enumerate(["u", "vx", "vy"]):
                put(file, f"{split}/{name}", 10000 * i + counting(count, 3, 8, 8, dtype="f8"))
            file[f"{split}/t"] = np.tile(np.arange(3.0), (count, 1))
            file[f"{split}/x"] = np.tile(np.arange(8.0), (count, 1))
            file[f"{split}/y"] = np.tile(np.arange(8.0), (count, 1))
            file[f"{split}/buo_y"] = np.arange(count) / 10


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    for write in (matlab, pdebench, helmholtz, the_well, pdegym, pdearena):
        write()
