# %% [markdown]
# # From a table of jobs to a figure
#
# The cells (`# %%`) run one by one in VS Code, Spyder or PyCharm, and all at once by
#
#     PYTHONPATH=scripts/python python3 docs/examples/python/study.py results/study
#
# The question: on one morning of three teams, whose jobs wait under which rule? The rule
# asset.py is a program in Python; the others are leontief's.

# %% What is needed, and where things are
import importlib.util
import pathlib
import subprocess
import sys

missing = [name for name in ("pandas", "matplotlib") if importlib.util.find_spec(name) is None]
if missing:
    sys.exit("study.py: %s has no %s: apt-get install python3-pandas python3-matplotlib, or another python3" % (sys.executable, " and no ".join(missing)))

import matplotlib

matplotlib.use("Agg")  # without a screen; leave this line out in a notebook
import matplotlib.pyplot as plt
import pandas as pd

import leontief

examples = pathlib.Path(__file__).resolve().parent.parent if "__file__" in globals() else pathlib.Path("docs/examples")
out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "results/study")
out.mkdir(parents=True, exist_ok=True)

# %% The table, as it is
table = pd.read_csv(examples / "our-jobs.csv")
table["team"] = table["job"].str.split("-").str[0]
print(table.groupby("team")[["replicas", "mcpu", "mem_mib"]].agg(["count", "mean"]).round(1).to_string())

# %% Import it: the mapping says what the columns mean; what is left out is counted
subprocess.run([leontief.binary(), "traces", "import", "--map", str(examples / "our-mapping.yaml"), str(examples / "our-jobs.csv"),
                "--out", str(out / "jobs.parquet"), "--force"], check=True)

# %% Run it again with whole tasks under four rules
run = leontief.simulate(
    out / "run", cluster=str(examples / "our-cluster.json"), trace=str(out / "jobs.parquet"), model="whole", slot="5m",
    policies=["asset", "tsf-er", "drf-er", "fifo"], rule={"asset": '"%s" "%s"' % (sys.executable, examples / "rules" / "asset.py")})

# %% In pandas: a row a job and rule
jobs = leontief.results(run, "completions", frame=True)
jobs["team"] = jobs["job_id"].str.split("-").str[0]
jobs["minutes"] = (jobs["completion_us"] - jobs["submit_us"]) / 60e6
jobs["slowdown"] = 1 / jobs["jct_factor"]
means = jobs.pivot_table(index="team", columns="policy", values="slowdown", sort=False)
print("\nmean slowdown against running alone")
print(means.round(2).to_string())

# %% A figure
figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
for policy, of in jobs.groupby("policy", sort=False):
    minutes = of["minutes"].sort_values()
    left.step(minutes, [(i + 1) / len(minutes) for i in range(len(minutes))], where="post", label=policy)
left.set(xscale="log", xlabel="completion time (min)", ylabel="share of the jobs")
left.legend(frameon=False)
means.plot.bar(ax=right, legend=False, rot=0)
right.set(xlabel="", ylabel="mean slowdown")
figure.savefig(out / "study.pdf")
figure.savefig(out / "study.png", dpi=200)
print("\nthe figure is %s" % (out / "study.pdf"))
