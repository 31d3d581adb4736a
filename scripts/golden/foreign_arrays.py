"""Writes test/golden/arrays: small MATLAB, PyTorch, netCDF and NumPy files, each beside what their own library reads.

    python scripts/golden/foreign_arrays.py                   # from the repository's root; needs numpy, scipy, torch, h5py, hdf5plugin, netCDF4
    python scripts/golden/foreign_arrays.py FOLDER SEED       # other random files, for the test against Python
"""

import json
import struct
import sys
import zlib
from pathlib import Path

import h5py
import hdf5plugin
import netCDF4
import numpy as np
import scipy.io
import torch

OUT = Path(sys.argv[1] if len(sys.argv) > 1 else "test/golden/arrays")
RANDOM = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 24)
TYPES = "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split()


def numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Random numbers over the whole range of a type."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return RANDOM.random(shape) < 0.5
    if dtype.kind == "f":
        return RANDOM.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return RANDOM.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def some_shape(least: int = 1, most: int = 4) -> tuple[int, ...]:
    return tuple(int(n) for n in RANDOM.integers(1, 6, RANDOM.integers(least, most + 1)))


def expect(name: str, arrays: dict[str, np.ndarray | str]) -> None:
    """What a file holds: arrays, or a word of the reason why one cannot be read."""
    described = {}
    for key, array in arrays.items():
        if isinstance(array, str):
            described[key] = {"problem": array}
            continue
        flat = array.ravel().tolist()
        flat = ["NaN" if v != v else v for v in flat]
        exact = [str(v) if isinstance(v, int) and abs(v) > 2**53 else v for v in flat]
        described[key] = {"shape": list(array.shape), "dtype": array.dtype.name, "values": exact}
    (OUT / f"{name}.json").write_text(json.dumps(described) + "\n")


def matlab() -> None:
    arrays = {f"a_{code}": numbers(code, some_shape(2)) for code in TYPES}
    arrays["flags"] = numbers("b1", (3, 4))
    arrays["empty"] = np.zeros((0, 3))
    arrays["a_long_name_that_fills_more_than_one_element"] = np.arange(6.0).reshape(1, 2, 3)
    others = {
        "z": np.ones((2, 2)) * 1j,
        "text": "hello",
        "cells": np.array([[1, "a"]], dtype=object),
        "record": {"x": 1.0},
        "sparse": scipy.sparse.csc_array(np.eye(3)),
    }
    reasons = {"z": "complex", "text": "text", "cells": "cell", "record": "struct", "sparse": "sparse"}
    for compressed in (False, True):
        name = f"v5-{'compressed' if compressed else 'plain'}.mat"
        scipy.io.savemat(OUT / name, {**others, **arrays}, do_compression=compressed)
        bytes = (OUT / name).read_bytes()  # without the time of day
        (OUT / name).write_bytes(b"MATLAB 5.0 MAT-file, by SciPy".ljust(116) + bytes[116:])
        found = scipy.io.loadmat(OUT / name, mat_dtype=True)
        assert found["flags"].dtype == bool
        expect(name, reasons | {key: found[key] for key in arrays})
    scipy.io.savemat(OUT / "v4.mat", {"u": np.arange(6.0).reshape(2, 3)}, format="4")


def element(order: str, kind: int, data: bytes) -> bytes:
    if 0 < len(data) <= 4:
        word = (len(data) << 16) | kind
        return struct.pack(f"{order}I", word) + data.ljust(4, b"\0")
    return struct.pack(f"{order}II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def matrix(order: str, name: str, kind: int, shape: tuple[int, ...], storage: int, data: bytes) -> bytes:
    lengths = struct.pack(f"{order}{len(shape)}i", *shape)
    inner = element(order, 6, struct.pack(f"{order}II", kind, 0)) + element(order, 5, lengths)
    inner += element(order, 1, name.encode()) + element(order, storage, data)
    return struct.pack(f"{order}II", 14, len(inner)) + inner


def matlab_storage() -> None:
    """Doubles stored as smaller integers, in both byte orders, as MATLAB itself writes them and SciPy does not."""
    kinds = {"u1": 2, "i1": 1, "i2": 3, "u2": 4, "i4": 5, "f8": 9, "f4": 7}
    classes = {"f8": 6, "f4": 7, "i8": 14}
    for order, mark in (("<", b"IM"), (">", b"MI")):
        name = f"v5-{'little' if order == '<' else 'big'}-endian.mat"
        text = b"MATLAB 5.0 MAT-file, Platform: by hand".ljust(124)
        parts = [text + struct.pack(f"{order}H", 0x0100) + mark]
        for target, number in classes.items():
            for code, storage in kinds.items():
                if (code == "f8" and target != "f8") or (code == "f4" and target == "i8"):
                    continue
                shape = some_shape(2)
                values = numbers(code, shape)
                if code == "i4" and target == "f4":
                    values //= 512  # what a single holds exactly
                data = values.astype(f"{order}{code}").tobytes(order="F")
                part = matrix(order, f"{target}_as_{code}", number, shape, storage, data)
                if RANDOM.random() < 0.5:
                    packed = zlib.compress(part)
                    part = struct.pack(f"{order}II", 15, len(packed)) + packed
                parts.append(part)
        (OUT / name).write_bytes(b"".join(parts))
        found = scipy.io.loadmat(OUT / name, mat_dtype=True)
        classes_of = {key: np.dtype(key.split("_")[0]) for key in found if "_as_" in key}
        expect(name, {key: found[key].astype(dtype) for key, dtype in classes_of.items()})


def plain(tensor: torch.Tensor) -> np.ndarray:
    tensor = tensor.detach()
    return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy()


def pytorch() -> None:
    base = torch.from_numpy(numbers("f4", (6, 5, 4)))
    tensors = {
        "base": base,
        "transposed": base.permute(2, 0, 1),
        "view": base[2:5, ::2, 1:],
        "expanded": base[:, :1, :1].expand(6, 3, 2),
        "parameter": torch.nn.Parameter(torch.ones(2, 3)),
        "scalar": torch.tensor(2.5, dtype=torch.float64),
        "empty": torch.zeros(0, 3),
        "windows": torch.arange(10.0).unfold(0, 4, 2),
        "bool": torch.from_numpy(numbers("b1", (3, 5))).T,
        "half": base[0].half(),
        "bfloat16": base.bfloat16().transpose(0, 1),
    }
    for code in TYPES:
        tensors[f"t_{code}"] = torch.from_numpy(numbers(code, some_shape(1)))
    nested = {
        "train": {"x": base, "y": base[1:3]},
        "list": [torch.arange(3), (torch.ones(2), torch.zeros(1, 1))],
        "z": torch.ones(2, dtype=torch.complex64),
        "visc": 0.001,
        "note": "text",
        "size": torch.Size([2, 3]),
        "numpy": np.arange(6).reshape(2, 3),
    }
    files = {
        "tensors": tensors,
        "nested": nested,
        "bare": base.permute(1, 0, 2),
        "tuple": (base[0], base[1].T),
    }
    for name, value in files.items():
        for legacy in (False, True):
            path = f"{name}-legacy.pt" if legacy else f"{name}.pt"
            if legacy and name == "tensors":  # torch itself cannot load unsigned types from this format
                value = {key: item for key, item in value.items() if key not in ("t_u2", "t_u4", "t_u8")}
            torch.save(value, OUT / path, _use_new_zipfile_serialization=not legacy)
            found: dict[str, np.ndarray | str] = {}
            collect(torch.load(OUT / path, weights_only=False), "", found)
            expect(path, found)


def pytorch_refused() -> None:
    """Files that must not be read: one that runs a command, one of a class, and one without checksums that may be."""

    class Command:
        def __reduce__(self):
            return (print, ("this was executed",))

    torch.save({"x": torch.ones(2), "run": Command()}, OUT / "code.pt")
    torch.save(torch.utils.data.TensorDataset(torch.ones(2)), OUT / "dataset.pt")
    torch.serialization.set_crc32_options(False)
    torch.save({"x": torch.arange(3.0)}, OUT / "no-checksum.pt")
    torch.serialization.set_crc32_options(True)
    expect("no-checksum.pt", {"x": np.arange(3, dtype="f4")})
    torch.save({"x": torch.ones(2, 3), "n": (torch.ones(2) * 1j).conj().imag}, OUT / "negated.pt")


def collect(value: object, name: str, found: dict[str, np.ndarray | str]) -> None:
    inside = f"{name}/" if name else ""
    if isinstance(value, torch.Tensor):
        found[name] = "complex" if value.is_complex() else plain(value)
    elif isinstance(value, np.ndarray):
        found[name] = value
    elif isinstance(value, dict):
        for key, item in value.items():
            collect(item, f"{inside}{key}", found)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            collect(item, f"{inside}{index}", found)


def deepxde() -> None:
    """Aligned data: inputs of branch and trunk in an array of objects."""
    pair = np.empty(3, dtype=object)
    pair[0] = numbers("f4", (6, 4))
    pair[1] = np.asfortranarray(numbers("f8", (5, 2, 3)))
    pair[2] = "no array"
    arrays = {"y": numbers("f4", (6, 5)), "scale": np.float32(2)}
    np.savez(OUT / "deepxde.npz", X=pair, others=np.array([{"a": 1}, None]), **arrays)
    found = np.load(OUT / "deepxde.npz", allow_pickle=True)
    inner = {f"X/{i}": found["X"][i] for i in (0, 1)}
    expect("deepxde.npz", {**inner, **{key: found[key] for key in arrays}, "others": "Python objects"})


def netcdf_variables(file, formats: str, fill) -> dict[str, np.ndarray]:
    """Fixed and record variables of all types; `fill` makes a variable with missing values."""
    file.createDimension("sample", None)
    file.createDimension("x", 3)
    file.createDimension("y", 5)
    x = file.createVariable("x", "f8", ("x",))
    x[:] = np.linspace(0, 1, 3)
    for code in formats.split():
        values = numbers(code, (4, 3, 5))
        values[values == 9.969209968386869e36] = 0
        record = file.createVariable(f"r_{code}", code, ("sample", "x"))
        record[:] = values[:, :, 0]
        fixed = file.createVariable(f"f_{code}", code, ("y", "x"))
        fixed[:] = values[0].T
    packed = file.createVariable("packed", "i2", ("sample", "y"), **fill)
    packed.scale_factor = 0.25
    packed.add_offset = 10.0
    return {"packed": packed}


def netcdf() -> None:
    for version in (1, 2):
        name = f"classic-{version}.nc"
        with scipy.io.netcdf_file(OUT / name, "w", version=version) as file:
            file.title = b"text"
            packed = netcdf_variables(file, "i1 i2 i4 f4 f8", {})["packed"]
            packed._FillValue = np.int16(-999)
            packed[:] = RANDOM.integers(-500, 500, (4, 5)).astype("i2")
            packed[1, 2] = -999
            word = file.createVariable("word", "S1", ("y",))
            word[:] = np.array(list(b"hello"), "u1").view("S1")
        with scipy.io.netcdf_file(OUT / name, "r", mmap=False, maskandscale=True) as file:
            found = {key: plain_values(variable[:]) for key, variable in file.variables.items() if key != "word"}
        expect(name, {**found, "word": "text"})
    with scipy.io.netcdf_file(OUT / "one-record.nc", "w") as file:  # records of one variable are not padded
        file.createDimension("sample", None)
        file.createDimension("x", 3)
        only = file.createVariable("u", "i2", ("sample", "x"))
        only[:] = numbers("i2", (5, 3))
        expect("one-record.nc", {"u": only[:].astype("i2")})
    for format in ("NETCDF3_64BIT_DATA", "NETCDF4"):
        name = "classic-5.nc" if "3" in format else "netcdf-4.nc"
        with netCDF4.Dataset(OUT / name, "w", format=format) as file:
            codes = "i4 f4" if format == "NETCDF4" else "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8"
            packed = netcdf_variables(file, codes, {"fill_value": -999})["packed"]
            values = np.ma.masked_less(RANDOM.integers(-500, 500, (4, 5)) * 0.25 + 10, -80)
            values[1, 2] = np.ma.masked
            packed[:] = values
            unwritten = file.createVariable("unwritten", "f4", ("y",))
            unwritten[1:3] = 7
        with netCDF4.Dataset(OUT / name) as file:
            found = {}
            for key, variable in file.variables.items():
                integer = key != "packed" and variable.dtype.kind in "iu"
                variable.set_auto_mask(not integer)  # whole numbers without _FillValue are all meant
                found[key] = plain_values(variable[:])
        expect(name, found)


def plain_values(values: np.ndarray) -> np.ndarray:
    """Native byte order, NaN where values are missing."""
    values = values.astype(values.dtype.newbyteorder("="))
    return values.filled(np.nan) if np.ma.isMaskedArray(values) and values.dtype.kind == "f" else np.asarray(values)


def matlab_hdf5() -> None:
    """Version 7.3: HDF5 behind 512 bytes of text."""
    values = numbers("f8", (5, 4, 3))
    with h5py.File(OUT / "v73.mat", "w", userblock_size=512) as file:
        file["u"] = values.T
        file["u"].attrs["MATLAB_class"] = np.bytes_("double")
    with open(OUT / "v73.mat", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file, by h5py".ljust(124) + b"\x00\x02IM")
    expect("v73.mat", {"/u": values.T})


def hdf5_filters() -> None:
    """Filters that come as plugins."""
    with h5py.File(OUT / "filters.h5", "w") as file:
        file.create_dataset("blosc", data=np.arange(64.0), **hdf5plugin.Blosc())
        file.create_dataset("zstd", data=np.arange(64.0), **hdf5plugin.Zstd())
        file.create_dataset("scaleoffset", data=np.arange(64), scaleoffset=True)


def hdf5_numbers() -> None:
    """Numbers whose size does not tell what they are; `half` and `usual` are what it says."""

    def typed(base: h5py.h5t.TypeID, fields: tuple[int, ...], bias: int) -> h5py.h5t.TypeID:
        changed = base.copy()
        changed.set_fields(*fields)
        changed.set_ebias(bias)
        return changed

    twelve = h5py.h5t.STD_I16LE.copy()
    twelve.set_precision(12)
    with h5py.File(OUT / "numbers.h5", "w") as file:
        for name, kind in {
            "bfloat16": typed(h5py.h5t.IEEE_F16LE, (15, 7, 8, 0, 7), 127),
            "bias": typed(h5py.h5t.IEEE_F32LE, (31, 23, 8, 0, 23), 100),
            "twelve": twelve,
            "half": h5py.h5t.IEEE_F16BE,
            "usual": h5py.h5t.STD_I32BE,
        }.items():
            dataset = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((4, 5)))
            dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.arange(20, dtype="i4" if kind.get_class() == 0 else "f4"))


def numpy() -> None:
    for order in "CF":
        name = f"order-{order}.npy"
        array = np.asarray(numbers(">f8" if order == "F" else "<i2", some_shape(3)), order=order)
        np.save(OUT / name, array)
        expect(name, {"": array.astype(array.dtype.newbyteorder("="))})


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    matlab()
    matlab_storage()
    pytorch()
    pytorch_refused()
    numpy()
    deepxde()
    netcdf()
    matlab_hdf5()
    hdf5_filters()
    hdf5_numbers()
    print(f"NumPy {np.__version__}, SciPy {scipy.__version__}, torch {torch.__version__}")
