/* glpk FILE cold|restart BUDGET_MS primal|dual: median milliseconds and objective of GLPK's
 * simplex. cold = build and solve from the slack basis; restart = solve
 * again after one user's columns and row are taken out or put back. */
#include <glpk.h>
#include <string.h>
#include "program.h"

typedef struct { program p; glp_prob *lp; int dual; double objective; } state;

static int kind(double lo, double hi) {
	if (lo <= -1e29) return GLP_UP;
	return hi >= 1e29 ? GLP_LO : GLP_DB;
}

static glp_prob *build(const program *p) {
	glp_prob *lp = glp_create_prob();
	glp_set_obj_dir(lp, GLP_MAX);
	glp_add_rows(lp, p->rows);
	glp_add_cols(lp, p->cols);
	for (int i = 0; i < p->rows; i++) glp_set_row_bnds(lp, i + 1, kind(p->lo[i], p->hi[i]), p->lo[i], p->hi[i]);
	int *ind = need((p->rows + 1) * sizeof(int));
	double *val = need((p->rows + 1) * sizeof(double));
	for (int j = 0; j < p->cols; j++) {
		int n = 0;
		for (int k = p->start[j]; k < p->start[j + 1]; k++) { n++; ind[n] = p->row[k] + 1; val[n] = p->value[k]; }
		glp_set_mat_col(lp, j + 1, n, ind, val);
		glp_set_col_bnds(lp, j + 1, GLP_LO, 0, 0);
		glp_set_obj_coef(lp, j + 1, p->c[j]);
	}
	free(ind); free(val);
	return lp;
}

static void solve(state *s) {
	glp_smcp parm;
	glp_init_smcp(&parm);
	parm.msg_lev = GLP_MSG_OFF;
	parm.meth = s->dual ? GLP_DUALP : GLP_PRIMAL;
	if (glp_simplex(s->lp, &parm) || glp_get_status(s->lp) != GLP_OPT) { fprintf(stderr, "glpk: no optimum\n"); exit(1); }
	s->objective = glp_get_obj_val(s->lp);
}

static void cold(void *v, int step) {
	state *s = v;
	(void)step;
	if (s->lp) glp_delete_prob(s->lp);
	s->lp = build(&s->p);
	solve(s);
}

static void restart(void *v, int step) {
	state *s = v;
	int j = moving_user(&s->p, step), leaves = step % 2 == 0, row = s->p.rows - s->p.users + j;
	for (int k = 0; k < s->p.servers; k++)
		glp_set_col_bnds(s->lp, j * s->p.servers + k + 1, leaves ? GLP_FX : GLP_LO, 0, 0);
	glp_set_row_bnds(s->lp, row + 1, leaves ? GLP_FR : GLP_LO, s->p.lo[row], 0);
	solve(s);
}

int main(int argc, char **argv) {
	if (argc != 5) { fprintf(stderr, "usage: glpk FILE cold|restart BUDGET_MS primal|dual\n"); return 2; }
	state s = { .p = read_program(argv[1]), .dual = strcmp(argv[4], "dual") == 0 };
	int again = strcmp(argv[2], "restart") == 0;
	if (again) cold(&s, 0);
	double ms = median_ms(again ? restart : cold, &s, atof(argv[3]), again ? 4 : 2);
	printf("%.9g %.17g\n", ms, s.objective);
	return 0;
}
