"""Federated averaging of a DeepONet in a Flower simulation, on a partition that pde-dirichlet exported.

The rules are those of `pde-dirichlet train`: every client takes all its samples in shuffled passes, batches of 64 with a
short last one, five Adam steps a round, and keeps its Adam state between rounds. The server weighs clients by their
number of samples. With --records, `pde-dirichlet report` pairs and reports the runs. See README.md beside this file.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from datasets import load_dataset
from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg
from flwr.simulation import run_simulation
from records import Records

sys.path.insert(0, str(Path(__file__).parents[1] / "pytorch"))
from operators import load_operator  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--export", required=True, help="folder of `pde-dirichlet export --format flower`")
parser.add_argument("--start", required=True, help="parameters.safetensors of a run with --rounds 0")
parser.add_argument("--rounds", type=int, default=20)
parser.add_argument("--local-steps", type=int, default=5)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--rate", type=float, default=1e-3)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--records", help="folder to log into, for `pde-dirichlet report` and `pde-dirichlet track`")
options = parser.parse_args()


def points() -> np.ndarray:
    """The output points, [points, coordinates]; the last axis runs fastest. The responses' axes are the first ones."""
    axes = np.load(f"{options.export}/coordinates.npz")
    shape = load_dataset(options.export, split="test").features["response"].shape
    grid = np.meshgrid(*(axes[name] for name in axes.files[: len(shape)]), indexing="ij")
    return np.stack(grid, -1).reshape(-1, len(shape))


def partition(client: int):
    """Inputs and responses of a client, from its own file."""
    rows = load_dataset("parquet", data_files=f"{options.export}/train/client-{client:05d}*.parquet", split="train")
    return arrays(rows)


def test_set():
    return arrays(load_dataset(options.export, split="test"))


def arrays(rows):
    rows = rows.with_format("numpy")[:]
    return [torch.tensor(np.stack(rows[name]).reshape(len(rows["index"]), -1)).float() for name in ("input", "response")]


def batches(samples: int, client: int, first_step: int):
    """The samples of each step: shuffled passes, the last batch of a pass short where the size does not divide."""
    size = min(options.batch, samples)
    in_pass = -(-samples // size)
    for step in range(first_step, first_step + options.local_steps):
        order = np.random.default_rng([options.seed, client, step // in_pass]).permutation(samples)
        start = step % in_pass * size
        yield torch.from_numpy(order[start : start + size])


client_app = ClientApp()


@client_app.train()
def train(message: Message, context: Context) -> Message:
    client = int(context.node_config["partition-id"])
    inputs, responses = partition(client)
    model = load_operator(options.start, points=points())
    model.load_state_dict(message.content["arrays"].to_torch_state_dict())
    optimizer = torch.optim.Adam(model.parameters(), lr=options.rate)
    steps = restore(optimizer, model, context)
    for chosen in batches(len(inputs), client, steps):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(inputs[chosen]), responses[chosen]).backward()
        optimizer.step()
    keep(optimizer, model, context)
    content = {
        "arrays": ArrayRecord(model.state_dict()),
        "metrics": MetricRecord({"num-examples": len(inputs)}),
    }
    return Message(content=RecordDict(content), reply_to=message)


def keep(optimizer, model, context):
    """Adam's moments stay with the client: they are part of its state, and are never sent."""
    moments = {
        f"{name}.{part}": optimizer.state[parameter][part]
        for name, parameter in model.named_parameters()
        for part in ("exp_avg", "exp_avg_sq")
    }
    steps = int(next(iter(optimizer.state.values()))["step"])
    context.state["moments"] = ArrayRecord(moments)
    context.state["steps"] = MetricRecord({"steps": steps})


def restore(optimizer, model, context) -> int:
    """Puts the moments back and gives the number of steps that this client has taken."""
    if "steps" not in context.state:
        return 0
    steps = int(context.state["steps"]["steps"])
    moments = context.state["moments"].to_torch_state_dict()
    for name, parameter in model.named_parameters():
        own = {part: moments[f"{name}.{part}"] for part in ("exp_avg", "exp_avg_sq")}
        optimizer.state[parameter] = {"step": torch.tensor(float(steps)), **own}
    return steps


class MeasuredFedAvg(FedAvg):
    """Federated averaging that keeps D_loc: how far the clients' models lie from their average, weighted by samples."""

    d_loc = 0.0

    def aggregate_train(self, server_round, replies):
        replies = list(replies)
        arrays, metrics = super().aggregate_train(server_round, replies)
        sizes = [reply.content["metrics"]["num-examples"] for reply in replies]
        squares = [float(((flat(reply.content["arrays"]) - flat(arrays)) ** 2).sum()) for reply in replies]
        self.d_loc = float(np.average(squares, weights=sizes))
        return arrays, metrics


def flat(arrays: ArrayRecord) -> np.ndarray:
    return np.concatenate([array.ravel() for array in arrays.to_numpy_ndarrays()]).astype(np.float64)


def full_gradients(model, clients: int) -> np.ndarray:
    """The gradient of every client's mean squared error over all its samples, [clients, parameters]."""
    rows = []
    for client in range(clients):
        inputs, responses = partition(client)
        model.zero_grad()
        torch.nn.functional.mse_loss(model(inputs), responses).backward()
        rows.append(np.concatenate([parameter.grad.numpy().ravel() for parameter in model.parameters()]))
    return np.stack(rows)


def begin_records() -> Records:
    split = Path(options.export, "partition.json")
    about = json.loads(split.read_text())
    name = f"flower-alpha-{about['options']['alpha']}-seed-{options.seed}"
    settings = {"study": "flower", "strategy": "fedavg", "optimizer": "adam", "rate": options.rate, "batch": options.batch}
    return Records(
        *(options.records, name),
        **{"task": Path(about["data"]["name"]).stem, "seed": options.seed, "partition": split},
        **{"rounds": options.rounds, "local_steps": options.local_steps, **settings},
    )


server_app = ServerApp()


@server_app.main()
def main(grid: Grid, _: Context) -> None:
    model = load_operator(options.start, points=points())
    inputs, truth = test_set()
    strategy = MeasuredFedAvg(fraction_evaluate=0.0)
    records = begin_records() if options.records else None

    def evaluate(round_: int, arrays: ArrayRecord) -> MetricRecord:
        model.load_state_dict(arrays.to_torch_state_dict())
        with torch.no_grad():
            error = (torch.linalg.norm(model(inputs) - truth) / torch.linalg.norm(truth)).item()
        print(f"round {round_}: test error {100 * error:.2f} %", flush=True)
        if records:
            gradients = full_gradients(model, clients) if round_ == 0 else None
            parameters = {name: tensor.detach() for name, tensor in model.state_dict().items()}
            records.checkpoint(round_, error, parameters, gradients, d_loc=strategy.d_loc)
        return MetricRecord({"test-error": error})

    strategy.start(grid, ArrayRecord(model.state_dict()), num_rounds=options.rounds, evaluate_fn=evaluate)


clients = len({file.name[:12] for file in Path(options.export, "train").iterdir()})

if __name__ == "__main__":
    run_simulation(server_app, client_app, num_supernodes=clients)
