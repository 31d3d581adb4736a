"""Times scikit-learn's MiniBatchKMeans for bench/beyond-memory.mjs: NPY file, clusters, variance, minutes of fitting.

After the given minutes it takes no more batches, and labels all rows by the centroids that it has. Memory is that of the
process without the pages of the mapped file, which the system may take back."""

import json
import sys
import threading
import time

import numpy as np
from sklearn.cluster import MiniBatchKMeans


def status(path, name):
    with open(path) as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


class Limited(MiniBatchKMeans):
    """Ends the fit at a given time, as if it had converged: the method is called after every batch."""

    end = float("inf")
    stopped = False

    def _mini_batch_convergence(self, *args, **kwargs):
        self.stopped = time.perf_counter() > self.end
        return self.stopped or super()._mini_batch_convergence(*args, **kwargs)


peak = 0
done = threading.Event()


def watch():
    global peak
    while not done.wait(0.02):
        peak = max(peak, status("/proc/self/status", "RssAnon") * 1024)


watcher = threading.Thread(target=watch, daemon=True)
watcher.start()
path, clusters, variance, minutes = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
start, cpu = time.perf_counter(), time.process_time()
rows = np.load(path, mmap_mode="r")
rows = rows.reshape(len(rows), -1)
fit = Limited(clusters, batch_size=4096, n_init=3, random_state=0)
fit.end = start + 60 * minutes
fit.fit(rows)
seconds = time.perf_counter() - start
done.set()
watcher.join()
found = {
    "seconds": seconds,
    "cpu": time.process_time() - cpu,
    "memory": peak,
    "fromDisk": status("/proc/self/io", "read_bytes"),
    "steps": int(fit.n_steps_),
    "stopped": fit.stopped,
    "left": float(fit.inertia_ / variance),
}
json.dump(found, sys.stdout)
