"""Prints a made-up year of jobs in the Standard Workload Format: python3 year.py [JOBS] > year.swf

300,000 jobs of 200 users by default, at 0.79 of 1,000 nodes of 16 processors, fewer at
weekends; from 1 to 256 processors, runs log-normal with a median of 2.4 hours, at most 10 days.
"""
import random
import sys

random.seed(7)
JOBS = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
MEAN = 365 * 86400 / 300_000 * 1.1786  # s between jobs; the factors below are .845 on the mean of jobs

print("; Version: 2.2\n; Computer: made up (synthetic)\n; MaxJobs: %d\n; MaxNodes: 1000\n; MaxProcs: 16000\n; UnixStartTime: 1600000000" % JOBS)
t = 0.0
for i in range(1, JOBS + 1):
    t += random.expovariate(1 / MEAN) * (0.7 if int(t / 86400) % 7 < 5 else 2)
    processors = random.choice([1, 1, 1, 2, 4, 8, 16, 16, 32, 64, 128, 256])
    run = min(10 * 86400, max(1, int(random.lognormvariate(9.08, 1.6))))
    print(i, int(t), -1, run, processors, -1, -1, processors, 2 * run, -1, 1, random.randint(1, 200), random.randint(1, 20), -1, 1, -1, -1, -1)
