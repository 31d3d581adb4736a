"""Logs a run of any trainer so that `pde-dirichlet report` and `pde-dirichlet track` take it as their own.

    run = Records("out/flower", "fedavg-0.1-seed-0", task="burgers", alpha=0.1, seed=0, partition="p.json", rate=1e-3)
    run.checkpoint(0, test_error=1.1, parameters=model.state_dict(), gradients=client_gradients)
    run.checkpoint(10, test_error=0.4, train_loss=0.02, d_loc=1e-4, clients={"test_error": [0.3, 0.5]})

docs/own-trainer.md describes every field.
"""

import json
import os
from pathlib import Path

import numpy as np


class Records:
    def __init__(self, folder, name, partition=None, **settings):
        self.folder, self.name = Path(folder, "elsewhere"), name
        self.folder.mkdir(parents=True, exist_ok=True)
        if partition is not None:
            settings["partition"] = os.path.relpath(partition, self.folder)
        self.file = open(self.folder / f"{name}.jsonl", "w", encoding="utf-8")
        self._write({"schema": "pde-dirichlet/external-run/1", "run": settings})

    def checkpoint(self, round, test_error, parameters=None, gradients=None, **measured):
        """A checkpoint. `parameters` are arrays by name, `gradients` an array [clients, parameters] of full gradients."""
        arrays = {"parameters": parameters, "gradients": gradients if gradients is None else {"gradients": gradients}}
        for kind, named in arrays.items():
            if named is not None:
                measured[kind] = f"{self.name}-{kind}-{round}.npz"
                np.savez(self.folder / measured[kind], **{key: np.asarray(values) for key, values in named.items()})
        self._write({"round": int(round), "test_error": float(test_error), **measured})

    def failed(self, why):
        self._write({"failed": str(why)})

    def _write(self, line):
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()
