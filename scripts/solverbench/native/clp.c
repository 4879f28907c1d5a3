/* clp FILE cold|restart BUDGET_MS primal|dual: median milliseconds and objective
 * of CLP's simplex. cold = load and solve; restart = solve again after one
 * user's columns and row are taken out or put back. */
#include <coin/Clp_C_Interface.h>
#include <string.h>
#include "program.h"

typedef struct { program p; Clp_Simplex *lp; double *zero, *inf, *lower, *upper, *rlo, *rhi; int dual; double objective; } state;

static void solve(state *s) {
	int bad = s->dual ? Clp_dual(s->lp, 0) : Clp_primal(s->lp, 0);
	if (bad || Clp_status(s->lp) != 0) { fprintf(stderr, "clp: no optimum\n"); exit(1); }
	s->objective = Clp_objectiveValue(s->lp);
}

static void cold(void *v, int step) {
	state *s = v;
	(void)step;
	if (s->lp) Clp_deleteModel(s->lp);
	s->lp = Clp_newModel();
	Clp_setLogLevel(s->lp, 0);
	Clp_setOptimizationDirection(s->lp, -1);
	Clp_loadProblem(s->lp, s->p.cols, s->p.rows, s->p.start, s->p.row, s->p.value, s->zero, s->inf, s->p.c, s->rlo, s->rhi);
	solve(s);
}

static void restart(void *v, int step) {
	state *s = v;
	int j = moving_user(&s->p, step), leaves = step % 2 == 0, row = s->p.rows - s->p.users + j;
	for (int k = 0; k < s->p.servers; k++)
		s->upper[j * s->p.servers + k] = leaves ? 0 : 1e31;
	s->lower[row] = leaves ? -1e31 : s->p.lo[row];
	Clp_chgColumnUpper(s->lp, s->upper);
	Clp_chgRowLower(s->lp, s->lower);
	solve(s);
}

int main(int argc, char **argv) {
	if (argc != 5) { fprintf(stderr, "usage: clp FILE cold|restart BUDGET_MS primal|dual\n"); return 2; }
	state s = { .p = read_program(argv[1]), .dual = strcmp(argv[4], "dual") == 0 };
	s.zero = need(s.p.cols * sizeof(double));
	s.inf = need(s.p.cols * sizeof(double));
	s.upper = need(s.p.cols * sizeof(double));
	s.lower = need(s.p.rows * sizeof(double));
	s.rlo = need(s.p.rows * sizeof(double));
	s.rhi = need(s.p.rows * sizeof(double));
	for (int j = 0; j < s.p.cols; j++) s.inf[j] = s.upper[j] = 1e31;
	for (int i = 0; i < s.p.rows; i++) {
		s.lower[i] = s.rlo[i] = s.p.lo[i] <= -1e29 ? -1e31 : s.p.lo[i];
		s.rhi[i] = s.p.hi[i] >= 1e29 ? 1e31 : s.p.hi[i];
	}
	int again = strcmp(argv[2], "restart") == 0;
	if (again) cold(&s, 0);
	double ms = median_ms(again ? restart : cold, &s, atof(argv[3]), again ? 4 : 2);
	printf("%.9g %.17g\n", ms, s.objective);
	return 0;
}
