"""Times scikit-learn's MiniBatchKMeans for bench/beyond-memory.mjs: NPY file, clusters, variance of all responses.

Memory is that of the process without the pages of the mapped file, which the system may take back."""

import json
import sys
import threading
import time

import numpy as np
from sklearn.cluster import MiniBatchKMeans


def status(path, name):
    with open(path) as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name))


peak = 0
done = threading.Event()


def watch():
    global peak
    while not done.wait(0.02):
        peak = max(peak, status("/proc/self/status", "RssAnon") * 1024)


watcher = threading.Thread(target=watch, daemon=True)
watcher.start()
path, clusters, variance = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
start, cpu = time.perf_counter(), time.process_time()
rows = np.load(path, mmap_mode="r")
rows = rows.reshape(len(rows), -1)
fit = MiniBatchKMeans(clusters, batch_size=4096, n_init=3, random_state=0).fit(rows)
seconds = time.perf_counter() - start
done.set()
watcher.join()
found = {
    "seconds": seconds,
    "cpu": time.process_time() - cpu,
    "memory": peak,
    "fromDisk": status("/proc/self/io", "read_bytes"),
    "steps": int(fit.n_steps_),
    "left": float(fit.inertia_ / variance),
}
json.dump(found, sys.stdout)
