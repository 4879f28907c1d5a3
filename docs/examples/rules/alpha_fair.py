import sys, leontief, numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, minimize
ALPHA = float(sys.argv[1])  # near 0: the sum of the shares, near 1: mnw, ever larger: tsf-er
@leontief.rule(kind="allocation", claims={"PO": True}, title=f"α-fairness of the shares x/(w·η), α = {ALPHA:g}")
def alpha_fair(env):
    w, may, usage = env.np.weights, env.np.eligibility, env.np.usage * np.repeat(env.eta, len(env.servers)) / env.np.limits[:, None]
    if not usage.max() < np.inf or min(env.caps) < np.inf or not may.any(axis=1).all(): raise leontief.Unsupported("a capacity of 0, a task cap, or a user that may run nowhere")
    share = lambda y: np.maximum(y.reshape(may.shape).sum(axis=1) / w, 1e-9)  # usage is that of y = x/η, of capacities of 1
    slope = lambda y: np.repeat(share(y) ** -ALPHA / (w @ share(y) ** (1 - ALPHA)), may.shape[1])
    y = minimize(lambda y: np.log(w @ share(y) ** (1 - ALPHA)) / (ALPHA - 1), may.ravel() / usage.sum(axis=1).max(), jac=lambda y: -slope(y), method="SLSQP", tol=1e-12,
                 options={"maxiter": 1000}, bounds=Bounds(0, may.ravel()), constraints=LinearConstraint(usage, -np.inf, 1)).x.clip(0)
    best = linprog(-slope(y), usage, np.full(len(usage), max(1, (usage @ y).max())), bounds=[(0, None if m else 0) for m in may.ravel()])  # is no y better along the slope?
    if not best.success or best.fun < -1 - 1e-5: raise leontief.Unsupported("what SLSQP found is not certified to 1e-5")
    return y.reshape(may.shape) * env.np.eta[:, None] / max(1, (usage @ y).max())
leontief.main()
