"""The tests of the package, and of the rules and studies in docs/examples."""

import os

# Arrays of twenty users gain nothing by the threads of a BLAS, which wait for each other busily.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")
