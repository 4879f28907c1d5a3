"""Times allocate_many on the small benchmark instances: 20 users, 3 servers, a link.

    python3 scripts/python/bench.py tsf-er mnw
"""

import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

import leontief


def instances(n):
    """Servers (1,1), (1.7,0.3), (0.3,1.7); demands log-uniform in [0.001, 0.5], that of the
    link divided by the total of the first resource."""
    r = random.Random(1)

    def demand():
        return math.exp(r.uniform(math.log(0.001), math.log(0.5)))

    for _ in range(n):
        yield leontief.Environment.of([[1, 1], [1.7, 0.3], [0.3, 1.7]], [[demand(), demand()] for _ in range(20)],
                                      link_capacities=[1], link_demands=[[demand() / 3] for _ in range(20)])


def main():
    n = 5000
    with tempfile.TemporaryFile() as lines:
        for env in instances(n):
            lines.write(json.dumps(env.data).encode() + b"\n")
        for policy in sys.argv[1:] or ["tsf-er"]:
            for workers in sorted({1, os.cpu_count() or 1}):
                lines.seek(0)
                before, start = os.times(), time.perf_counter()
                subprocess.run([leontief.binary(), "allocate", "--stream", "--policy", policy, "--workers", str(workers)],
                               stdin=lines, stdout=subprocess.DEVNULL, check=True)
                wall, after = time.perf_counter() - start, os.times()
                cpu = after.children_user + after.children_system - before.children_user - before.children_system
                print("%s, %d workers: %.0f allocations per second, %.2f ms of processor time each" % (policy, workers, n / wall, 1e3 * cpu / n))
            start = time.perf_counter()
            for _ in leontief.allocate_many(instances(n), policy):
                pass
            print("%s, allocate_many: %.0f allocations per second" % (policy, n / (time.perf_counter() - start)))


if __name__ == "__main__":
    main()
