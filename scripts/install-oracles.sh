#!/bin/sh
# Installs the independent solvers that scripts/oracle.py, compare_oracle.py and
# bench_solvers.py use. leontief itself needs none of them and links none of
# them. Debian 12 or Ubuntu 22.04 and later; needs root.
set -eu

packages="python3-scipy python3-cvxopt glpk-utils libglpk-dev coinor-clp coinor-libclp-dev coinor-libipopt-dev gcc pkg-config"

if ! command -v apt-get >/dev/null 2>&1; then
	echo "install-oracles: no apt-get here. Install the equivalents of: $packages" >&2
	exit 2
fi
if [ "$(id -u)" -ne 0 ]; then
	echo "install-oracles: run as root: sudo sh scripts/install-oracles.sh" >&2
	exit 2
fi
apt-get update
# shellcheck disable=SC2086 # a list of words on purpose
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $packages

/usr/bin/python3 - <<'PYTHON'
import cvxopt
import scipy
print("SciPy", scipy.__version__, "(HiGHS), CVXOPT", cvxopt.__version__)
PYTHON
echo "install-oracles: done. Use /usr/bin/python3: another python3 does not see these packages."
