"""Writes test/golden/foreign: one partition of ten samples over three clients, as other tools keep theirs.

    python scripts/golden/foreign.py      # from the repository's root; needs numpy and pandas
"""

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd

OUT = Path("test/golden/foreign")
OUT.mkdir(parents=True, exist_ok=True)

CLIENTS = {0: [0, 3, 9], 1: [1, 2, 4, 5], 2: [6, 7, 8]}
BINS = np.array([0, 1, 1, 0, 2, 2, 0, 1, 2, 0])
COLUMN = np.array([next(k for k, held in CLIENTS.items() if i in held) for i in range(10)])
COUNTS = np.array([[int(np.sum(BINS[held] == b)) for b in range(3)] for held in CLIENTS.values()])
COST = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]])


def dump(name: str, value: object) -> None:
    with open(OUT / name, "wb") as file:
        pickle.dump(value, file)


def main() -> None:
    arrays = {k: np.array(held) for k, held in CLIENTS.items()}
    class_counts = {k: {b: int(n) for b, n in enumerate(row) if n} for k, row in enumerate(COUNTS)}
    dump("fedlab.pkl", arrays)
    dump("niid-bench-map.pkl", {k: list(held) for k, held in CLIENTS.items()})
    x = np.zeros((10, 2), np.float32)
    dump("niid-bench-tuple.pkl", (x, BINS, x[:2], BINS[:2], arrays, class_counts))
    dump("object-array.pkl", np.array(list(arrays.values()), dtype=object))
    none = np.array([], dtype=int)
    split = [{"train": a[:2], "val": none, "test": a[2:]} for a in arrays.values()]
    dump("fl-bench.pkl", {"separation": {"train": [0, 1, 2], "val": [], "test": [], "total": 3}, "data_indices": split})
    (OUT / "map.json").write_text(json.dumps({str(k): held for k, held in CLIENTS.items()}))
    (OUT / "lists.json").write_text(json.dumps(list(CLIENTS.values())))
    np.save(OUT / "column.npy", COLUMN)
    np.savez(OUT / "column.npz", client_id=COLUMN, other=np.zeros(3))
    np.savetxt(OUT / "column.txt", COLUMN, fmt="%d")
    frame = pd.DataFrame({"x": np.arange(10) / 2, "party": COLUMN, "solution_bin": BINS})
    frame.to_csv(OUT / "column.csv", index=False)
    frame.to_csv(OUT / "column.tsv", index=False, sep="\t")
    frame.sample(frac=1, random_state=0).to_csv(OUT / "shuffled.csv", index_label="index")
    fedscale = pd.DataFrame(
        {"client_id": COLUMN, "sample_name": np.arange(10), "sample_category": "a", "category_id": BINS}
    )
    fedscale.to_csv(OUT / "fedscale.csv", index=False)
    lines = "".join(f"{k}: [\n{', '.join(map(str, held))}\n]\n" for k, held in CLIENTS.items())
    (OUT / "net_dataidx_map.txt").write_text("{\n" + lines + "}\n")
    nested = "".join(
        f"{k}: {{\n" + "".join(f"{b}: {n},\n" for b, n in row.items()) + "}\n" for k, row in class_counts.items()
    )
    (OUT / "distribution.txt").write_text("{\n" + nested + "}\n")

    report = pd.DataFrame(COUNTS, columns=[f"class-{b}" for b in range(3)])
    report.insert(0, "cid", range(3))
    report["TotalAmount"] = COUNTS.sum(axis=1)
    report.to_csv(OUT / "counts-fedlab.csv", index=False)
    pd.DataFrame(COUNTS).to_csv(OUT / "counts-pandas.csv")
    np.savetxt(OUT / "counts-plain.csv", COUNTS, fmt="%d", delimiter=",")
    np.save(OUT / "counts.npy", COUNTS)
    np.savez(OUT / "statistics.npz", counts=COUNTS, cost=COST, centroids=np.arange(12.0).reshape(3, 2, 2))
    (OUT / "counts.json").write_text(json.dumps(COUNTS.tolist()))
    (OUT / "counts-dict.json").write_text(json.dumps(class_counts))
    np.savetxt(OUT / "cost.csv", COST, delimiter=",")


if __name__ == "__main__":
    main()
