"""Loads every export of a partition as its tool would, and compares it with the partition's JSON.

    python scripts/check-exports.py test/golden/exports

The folder holds partition.json and the exports made from it: partition.npz, partition.csv, fedscale.csv,
niid-bench.pkl and the folders flower, fedlab, fedml, fl-bench. What is absent is passed over.
Needs numpy and pandas; datasets and flwr-datasets for flower.
"""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(sys.argv[1] if len(sys.argv) > 1 else "test/golden/exports")
TRUTH = json.loads((HERE / "partition.json").read_text())
CLIENT = np.array(TRUTH["client_of_sample"])
BIN = np.array(TRUTH["bin_of_sample"])
COUNTS = np.array(TRUTH["counts"])
K, B = COUNTS.shape
CLASS_COUNTS = {k: {b: int(n) for b, n in enumerate(row) if n} for k, row in enumerate(COUNTS)}


def same(clients) -> None:
    """Every sample once, and every client the samples that the JSON says."""
    lists = [np.asarray(clients[k]) for k in range(K)]
    assert len(clients) == K, f"{len(clients)} clients, not {K}"
    assert sorted(np.concatenate(lists).tolist()) == list(range(len(CLIENT))), "no exact cover"
    for k, held in enumerate(lists):
        assert held.tolist() == np.flatnonzero(CLIENT == k).tolist(), f"client {k} differs"


def check_npz(path: Path) -> None:
    p = np.load(path)
    same(np.split(p["indices"], p["offsets"][1:-1]))
    assert (p["client_of_sample"] == CLIENT).all() and (p["bin_of_sample"] == BIN).all()
    assert (p["counts"] == COUNTS).all() and (p["sizes"] == COUNTS.sum(axis=1)).all()


def check_csv(path: Path) -> None:
    table = pd.read_csv(path)
    assert list(table.columns) == ["index", "client_id", "solution_bin"]
    assert (table["client_id"] == CLIENT).all() and (table["solution_bin"] == BIN).all()
    same([table["index"][table["client_id"] == k].tolist() for k in range(K)])


def check_fedscale(path: Path) -> None:
    table = pd.read_csv(path)
    assert list(table.columns) == ["client_id", "sample_name", "sample_category", "category_id"]
    assert (table["client_id"] == CLIENT).all() and (table["category_id"] == BIN).all()


def check_fedlab(path: Path) -> None:
    client_dict = pickle.load(open(path / "client_dict.pkl", "rb"))
    assert all(type(k) is int for k in client_dict)
    assert all(a.dtype == np.int64 and a.flags.writeable for a in client_dict.values())
    same(client_dict)
    report = pd.read_csv(path / "report.csv")
    assert list(report.columns) == ["cid", *[f"class-{b}" for b in range(B)], "TotalAmount"]
    assert (report.iloc[:, 1:-1].to_numpy() == COUNTS).all()
    assert (report["TotalAmount"] == COUNTS.sum(axis=1)).all()


def check_niid_bench(path: Path) -> None:
    net_dataidx_map, traindata_cls_counts = pickle.load(open(path, "rb"))
    same(net_dataidx_map)
    assert traindata_cls_counts == CLASS_COUNTS


def check_fedml(path: Path) -> None:
    """FedML's line-by-line reading of its two files (fedml/data/cifar10/data_loader.py), restated."""
    indices, key = {}, None
    for line in open(path / "net_dataidx_map.txt"):
        if line[0] in "{}]":
            continue
        if line.split(":")[-1].strip() == "[":
            key = int(line.split(":")[0])
        else:
            indices[key] = [int(i) for i in line.split(",")]
    same(indices)
    counts = {}
    for line in open(path / "distribution.txt"):
        if line[0] in "{}":
            continue
        left, right = line.split(":")
        if right.strip() == "{":
            key = int(left)
            counts[key] = {}
        else:
            counts[key][int(left)] = int(right.strip().replace(",", ""))
    assert counts == CLASS_COUNTS


def check_fl_bench(path: Path) -> None:
    partition = pickle.load(open(path / "partition.pkl", "rb"))
    assert partition["separation"] == {"train": list(range(K)), "val": [], "test": [], "total": K}
    same([np.concatenate([d["train"], d["val"], d["test"]]) for d in partition["data_indices"]])
    stats = json.loads((path / "all_stats.json").read_text())
    for k, row in CLASS_COUNTS.items():
        assert stats[str(k)] == {"x": sum(row.values()), "y": {str(b): n for b, n in row.items()}}
    assert np.isclose(stats["samples_per_client"]["stddev"], COUNTS.sum(axis=1).std())


def check_flower(path: Path) -> None:
    from datasets import load_dataset
    from flwr_datasets import FederatedDataset
    from flwr_datasets.metrics import compute_counts
    from flwr_datasets.partitioner import NaturalIdPartitioner

    for k in range(K):  # a client's own file
        held = load_dataset("parquet", data_files=str(path / f"train/client-{k:05d}.parquet"), split="train")
        assert held["index"][:] == np.flatnonzero(CLIENT == k).tolist()
        assert set(held["client_id"]) <= {k} and list(held["solution_bin"]) == BIN[CLIENT == k].tolist()
    partitioner = NaturalIdPartitioner(partition_by="client_id")
    federated = FederatedDataset(dataset=str(path), partitioners={"train": partitioner}, shuffle=False)
    federated.load_partition(0)  # loads the dataset, without which the partitioner knows nothing
    held = [federated.load_partition(k) for k in range(partitioner.num_partitions)]
    assert partitioner.num_partitions == len(set(CLIENT))
    same([p["index"][:] for p in held])
    counts = compute_counts(partitioner, column_name="solution_bin").sort_index(axis=1)
    assert (counts.to_numpy() == COUNTS[COUNTS.sum(axis=1) > 0][:, COUNTS.sum(axis=0) > 0]).all()
    whole = load_dataset(str(path))
    assert set(whole["test"]["client_id"]) == {-1}
    for name, column in whole["train"].with_format("numpy")[:].items():
        print(f"  {name}: {column.dtype} {column.shape}")


CHECKS = {
    "partition.npz": check_npz,
    "partition.csv": check_csv,
    "fedscale.csv": check_fedscale,
    "fedlab": check_fedlab,
    "niid-bench.pkl": check_niid_bench,
    "fedml": check_fedml,
    "fl-bench": check_fl_bench,
    "flower": check_flower,
}

if __name__ == "__main__":
    for name, check in CHECKS.items():
        if (HERE / name).exists():
            check(HERE / name)
            print(f"{name}: agrees")
