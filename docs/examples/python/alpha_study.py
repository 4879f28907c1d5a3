"""α-fairness from the largest sum of shares to max-min, on table 3's workload, beside TSF-ER and MNW.

    export PYTHONPATH=scripts/python
    python3 docs/examples/python/alpha_study.py results/alpha           # table 3's quick scale: half an hour of processor time
    python3 docs/examples/python/alpha_study.py results/alpha 20        # 20 instances of each setting

What was run once is not run again: more instances, or another figure, start from there.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from typing import Dict

import leontief

HERE = os.path.dirname(os.path.abspath(__file__))
RULE = os.path.join(os.path.dirname(HERE), "rules", "alpha.py")
ALPHAS = ["0.5", "1", "2", "4", "8"]
PROGRAMS = {"alpha-" + alpha: '"%s" "%s" %s' % (sys.executable, RULE, alpha) for alpha in ALPHAS}
RULES = list(PROGRAMS) + ["mnw", "tsf-er"]


def spec(instances: int) -> Dict[str, object]:
    """Table 3 of the TSF-ER paper: its servers, link, workload and draws; ρ = 0.7, 2 MHz."""
    return {
        "name": "alpha", "title": "α-fairness on table 3's workload", "rules": PROGRAMS,
        "blocks": [{
            "name": "alpha", "experiment": "fluid", "instances": instances,
            "set": {"workload": "fitted", "first": 1000, "cluster": "three", "rho": 0.7, "bandwidth": 2,
                    "metrics": "jct-factor,refused,envy,task-ratio", "draws": "tsf-er"},
            "axes": {"n": [10, 15, 20], "policy": RULES},
        }],
    }


def main() -> None:
    if importlib.util.find_spec("numpy") is None:
        sys.exit("alpha_study.py: %s has no NumPy, which its rule needs: apt-get install python3-numpy, or another python3" % sys.executable)
    out = sys.argv[1] if len(sys.argv) > 1 else "results/alpha"
    folder = leontief.sweep(spec(int(sys.argv[2]) if len(sys.argv) > 2 else 500), out)
    figure = os.path.join(HERE, "alpha.yaml")
    for name in ("alpha.pdf", "alpha.png"):
        subprocess.run([leontief.binary(), "plot", str(folder), "--spec", figure, "--out", str(folder / name)], check=True)


if __name__ == "__main__":
    main()
