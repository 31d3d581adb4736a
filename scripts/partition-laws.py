"""Draws partitions of labelled samples by Flower's, FedLab's and NIID-Bench's partitioners, to compare their laws with ours.

NIID-Bench is no package: its rules are written here from their published definition (Li et al., 2022), without the redraws
by which it avoids clients of fewer than ten samples.

Reads {"labels": [...], "clients": K, "seeds": n, "alpha": a, ...} from standard input and prints, for every partitioner that is
installed, a list of tables of counts [client][label], one for each seed, as JSON.
"""

import contextlib
import json
import signal
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
question = json.load(sys.stdin)
labels = np.array(question["labels"])
values = np.array(question["values"])
clients, seeds, alpha = question["clients"], question["seeds"], question["alpha"]
classes = int(labels.max()) + 1
found = {}


def table(parts):
    return [np.bincount(labels[np.asarray(part, dtype=int)], minlength=classes).tolist() for part in parts]


def flower():
    from datasets import Dataset, disable_progress_bars
    from flwr_datasets import partitioner as flwr

    disable_progress_bars()
    data = Dataset.from_dict({"label": labels, "value": values, "index": np.arange(len(labels))})

    def drawn(make, count=seeds):
        tables = []
        for seed in range(count):
            np.random.seed(seed)
            one = make(seed)
            one.dataset = data
            parts = [np.array(one.load_partition(k)["index"]) for k in range(one.num_partitions)]
            tables.append(parts)
        return tables

    def counts(make, count=seeds):
        return [table(parts) for parts in drawn(make, count)]

    found["iid"] = counts(lambda seed: flwr.IidPartitioner(num_partitions=clients), 1)
    for law, make in {
        "linear": flwr.LinearPartitioner,
        "square": flwr.SquarePartitioner,
        "exponential": flwr.ExponentialPartitioner,
    }.items():
        found[law] = counts(lambda seed, make=make: make(num_partitions=clients), 1)
    found["dirichlet"] = counts(
        lambda seed: flwr.DirichletPartitioner(
            num_partitions=clients,
            partition_by="label",
            alpha=alpha,
            min_partition_size=0,
            self_balancing=False,
            seed=seed,
        )
    )
    found["inner_dirichlet"] = counts(
        lambda seed: flwr.InnerDirichletPartitioner(
            partition_sizes=[len(labels) // clients] * clients,
            partition_by="label",
            alpha=alpha,
            seed=seed,
        )
    )
    found["pathological"] = counts(
        lambda seed: flwr.PathologicalPartitioner(
            num_partitions=clients,
            partition_by="label",
            num_classes_per_partition=2,
            class_assignment_mode="deterministic",
            seed=seed,
        ),
        5,
    )
    found["shards"] = counts(
        lambda seed: flwr.ShardPartitioner(
            num_partitions=clients, partition_by="label", num_shards_per_partition=2, seed=seed
        )
    )
    found["natural"] = counts(lambda seed: flwr.NaturalIdPartitioner(partition_by="label"), 1)
    if hasattr(flwr, "ContinuousPartitioner"):
        for strictness in (0.3, 0.7):
            parts = drawn(
                lambda seed: flwr.ContinuousPartitioner(
                    num_partitions=clients, partition_by="value", strictness=strictness, seed=seed
                )
            )
            found[f"continuous_{strictness}"] = [
                float(np.mean([values[part].std() for part in split])) for split in parts
            ]


def fedlab():
    from fedlab.utils.dataset import functional

    def sizes(draw):
        rows = []
        for seed in range(seeds):
            np.random.seed(seed)
            rows.append(np.asarray(draw()).tolist())
        return rows

    found["lognormal_sizes"] = sizes(
        lambda: functional.lognormal_unbalance_split(clients, len(labels), question["sigma"])
    )
    found["dirichlet_sizes"] = sizes(
        lambda: functional.dirichlet_unbalance_split(clients, len(labels), question["size_alpha"])
    )
    def give_up(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, give_up)
    tables = []
    for seed in range(seeds):
        # FedLab 1.3 shuffles the labels first and returns places in the shuffled list: we take them back.
        np.random.seed(seed)
        shuffled = np.random.permutation(len(labels))
        np.random.seed(seed)
        own = np.full(clients, len(labels) // clients)  # a copy: FedLab changes the sizes that it is given
        # It draws for ever where a client wants exhausted labels alone, which a large alpha makes rare.
        signal.setitimer(signal.ITIMER_REAL, 5)
        with contextlib.suppress(TimeoutError):
            split = functional.client_inner_dirichlet_partition(
                labels, clients, classes, question["large_alpha"], own, verbose=False
            )
            tables.append(table([shuffled[split[k]] for k in range(clients)]))
        signal.setitimer(signal.ITIMER_REAL, 0)
    found["fedlab_inner"] = tables


def niid_bench():
    def each_seed(draw):
        return [draw(np.random.default_rng(seed)) for seed in range(seeds)]

    def cut(rng, own, beta):
        """Shuffled samples, cut at the running sums of Dirichlet shares."""
        places = np.cumsum(rng.dirichlet(np.full(clients, beta))) * len(own)
        return np.split(rng.permutation(own), places.astype(int)[:-1])

    def label_dirichlet(rng):
        parts = [cut(rng, np.flatnonzero(labels == label), alpha) for label in range(classes)]
        return table([np.concatenate(own) for own in zip(*parts)])

    def label_count(rng):
        """#label-2: client i takes label i mod C and another one at random; a label's takers share it equally."""
        takes = []
        for client in range(clients):
            first = client % classes
            others = [label for label in range(classes) if label != first]
            takes.append({first, rng.choice(others)})
        counts = np.zeros((clients, classes), dtype=int)
        for label in range(classes):
            takers = [client for client in range(clients) if label in takes[client]]
            own = np.array_split(rng.permutation(np.flatnonzero(labels == label)), len(takers))
            for client, part in zip(takers, own):
                counts[client, label] = len(part)
        return counts.tolist()

    found["niid_label_dirichlet"] = each_seed(label_dirichlet)
    found["niid_label_count"] = each_seed(label_count)
    found["niid_quantity"] = each_seed(
        lambda rng: [len(own) for own in cut(rng, np.arange(len(labels)), question["size_alpha"])]
    )


for tool in (flower, fedlab, niid_bench):
    with contextlib.suppress(ImportError), contextlib.redirect_stdout(sys.stderr):
        tool()
print(json.dumps(found))
