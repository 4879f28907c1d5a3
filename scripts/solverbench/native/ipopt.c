/* ipopt FILE BUDGET_MS: median milliseconds and objective of Ipopt on
 * max sum log x[j] over the program's rows (Nash welfare, equal weights). */
#include <coin/IpStdCInterface.h>
#include <math.h>
#include <string.h>
#include "program.h"

typedef struct { program p; double objective; } state;

static double total(const program *p, const Number *x, int j) {
	double t = 0;
	for (int s = 0; s < p->servers; s++) t += x[j * p->servers + s];
	return t;
}

static Bool value(Index n, Number *x, Bool fresh, Number *f, UserDataPtr u) {
	const program *p = u;
	(void)n; (void)fresh;
	*f = 0;
	for (int j = 0; j < p->users; j++) *f -= log(total(p, x, j));
	return TRUE;
}

static Bool gradient(Index n, Number *x, Bool fresh, Number *g, UserDataPtr u) {
	const program *p = u;
	(void)n; (void)fresh;
	for (int j = 0; j < p->users; j++) {
		double t = total(p, x, j);
		for (int s = 0; s < p->servers; s++) g[j * p->servers + s] = -1 / t;
	}
	return TRUE;
}

static Bool rows(Index n, Number *x, Bool fresh, Index m, Number *g, UserDataPtr u) {
	const program *p = u;
	(void)n; (void)fresh;
	memset(g, 0, m * sizeof(Number));
	for (int c = 0; c < p->cols; c++)
		for (int k = p->start[c]; k < p->start[c + 1]; k++) g[p->row[k]] += p->value[k] * x[c];
	return TRUE;
}

static Bool jacobian(Index n, Number *x, Bool fresh, Index m, Index nz, Index *r, Index *c, Number *v, UserDataPtr u) {
	const program *p = u;
	(void)n; (void)x; (void)fresh; (void)m; (void)nz;
	for (int j = 0; j < p->cols; j++)
		for (int k = p->start[j]; k < p->start[j + 1]; k++) {
			if (v) v[k] = p->value[k];
			else { r[k] = p->row[k]; c[k] = j; }
		}
	return TRUE;
}

static Bool hessian(Index n, Number *x, Bool fresh, Number f, Index m, Number *l, Bool fresh_l, Index nz,
	Index *r, Index *c, Number *v, UserDataPtr u) {
	const program *p = u;
	int k = 0;
	(void)n; (void)fresh; (void)m; (void)l; (void)fresh_l; (void)nz;
	for (int j = 0; j < p->users; j++) {
		double t = v ? total(p, x, j) : 0;
		for (int a = 0; a < p->servers; a++)
			for (int b = 0; b <= a; b++, k++) {
				if (v) v[k] = f / (t * t);
				else { r[k] = j * p->servers + a; c[k] = j * p->servers + b; }
			}
	}
	return TRUE;
}

static void cold(void *v, int step) {
	state *s = v;
	program *p = &s->p;
	(void)step;
	double *x = need(p->cols * sizeof(double)), *lo = need(p->cols * sizeof(double)), *hi = need(p->cols * sizeof(double));
	double worst = 0, *use = need(p->rows * sizeof(double));
	for (int c = 0; c < p->cols; c++) { hi[c] = 2e19; x[c] = 1; }
	rows(p->cols, x, TRUE, p->rows, use, p);
	for (int i = 0; i < p->rows; i++) if (use[i] / p->hi[i] > worst) worst = use[i] / p->hi[i];
	for (int c = 0; c < p->cols; c++) x[c] = 0.5 / worst;
	double *rlo = need(p->rows * sizeof(double));
	for (int i = 0; i < p->rows; i++) rlo[i] = -2e19;
	IpoptProblem nlp = CreateIpoptProblem(p->cols, lo, hi, p->rows, rlo, p->hi, p->entries,
		p->users * p->servers * (p->servers + 1) / 2, 0, value, rows, gradient, jacobian, hessian);
	AddIpoptIntOption(nlp, "print_level", 0);
	AddIpoptStrOption(nlp, "sb", "yes");
	AddIpoptNumOption(nlp, "tol", 1e-8);
	AddIpoptStrOption(nlp, "jac_d_constant", "yes");
	double f;
	enum ApplicationReturnStatus done = IpoptSolve(nlp, x, NULL, &f, NULL, NULL, NULL, p);
	if (done != Solve_Succeeded && done != Solved_To_Acceptable_Level) { fprintf(stderr, "ipopt: status %d\n", done); exit(1); }
	s->objective = -f;
	FreeIpoptProblem(nlp);
	free(x); free(lo); free(hi); free(use); free(rlo);
}

int main(int argc, char **argv) {
	if (argc != 3) { fprintf(stderr, "usage: ipopt FILE BUDGET_MS\n"); return 2; }
	state s = { read_program(argv[1]), 0 };
	double ms = median_ms(cold, &s, atof(argv[2]), 2);
	printf("%.9g %.17g\n", ms, s.objective);
	return 0;
}
