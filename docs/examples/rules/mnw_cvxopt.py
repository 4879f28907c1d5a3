"""Nash welfare by CVXOPT: python3 mnw_cvxopt.py. The largest Σ w·log x, by an interior-point method."""
import numpy as np
from cvxopt import matrix, solvers

import leontief

solvers.options.update(show_progress=False, abstol=1e-10, reltol=1e-10, feastol=1e-10)


@leontief.rule(kind="allocation", claims={"EF": True, "PO": True, "SI": True, "SP": False})
def mnw(env):
    """Maximum Nash welfare, by CVXOPT"""
    may, w, caps = env.np.eligibility, env.np.weights, env.np.caps
    eta = np.repeat(env.np.eta, len(env.servers))
    of = np.repeat(np.eye(len(w)), len(env.servers), axis=1)  # of @ y is the y of each user
    capped = np.isfinite(caps)
    with np.errstate(divide="ignore", invalid="ignore"):  # of y = x/η, in units in which every limit is 1
        usage = np.vstack([env.np.usage * eta / env.np.limits[:, None], (of * eta)[capped] / caps[capped, None]])
    if not np.isfinite(usage).all() or not may.any(axis=1).all():
        raise leontief.Unsupported("a capacity of 0, or a user that may run nowhere")
    of, usage = of[:, may.ravel()], usage[:, may.ravel()]
    weight, n = w / w.sum(), usage.shape[1]

    def welfare(y=None, z=None):
        """As cvxopt.solvers.cp asks for it: -Σ w·log, its slope, its curvature."""
        if y is None:
            return 0, matrix(0.5 / usage.sum(axis=1).max(), (n, 1))
        s = of @ np.array(y).ravel()
        if s.min() <= 0:
            return None
        value, slope = matrix(-weight @ np.log(s)), matrix(-(weight / s) @ of, (1, n))
        return (value, slope) if z is None else (value, slope, z[0] * matrix((of.T * (weight / s ** 2)) @ of))

    found = solvers.cp(welfare, matrix(np.vstack([usage, -np.eye(n)])), matrix(np.append(np.ones(len(usage)), np.zeros(n))), kktsolver="ldl")
    y = np.zeros(may.size)
    y[may.ravel()] = np.array(found["x"]).ravel().clip(0)
    y[may.ravel()] /= max(1, (usage @ y[may.ravel()]).max())
    return (y * eta).reshape(may.shape)


leontief.main()
