/* The plain text programs that solverbench writes: max c.x, lo <= Ax <= hi,
 * x >= 0, entries by columns. Shared by the timing programs beside it. */
#ifndef PROGRAM_H
#define PROGRAM_H
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
	int rows, cols, entries, users, servers;
	double *c, *lo, *hi, *value;
	int *row, *start; /* of column j: start[j] .. start[j+1]-1 */
} program;

static void *need(size_t n) {
	void *p = calloc(n ? n : 1, 1);
	if (!p) { fprintf(stderr, "out of memory\n"); exit(1); }
	return p;
}

static program read_program(const char *path) {
	program p;
	FILE *f = fopen(path, "r");
	if (!f || fscanf(f, "%d %d %d %d %d", &p.rows, &p.cols, &p.entries, &p.users, &p.servers) != 5) {
		fprintf(stderr, "%s: no program\n", path);
		exit(2);
	}
	p.c = need(p.cols * sizeof(double));
	p.lo = need(p.rows * sizeof(double));
	p.hi = need(p.rows * sizeof(double));
	p.value = need(p.entries * sizeof(double));
	p.row = need(p.entries * sizeof(int));
	p.start = need((p.cols + 1) * sizeof(int));
	int ok = 1, col;
	for (int j = 0; j < p.cols; j++) ok &= fscanf(f, "%lf", &p.c[j]) == 1;
	for (int i = 0; i < p.rows; i++) ok &= fscanf(f, "%lf %lf", &p.lo[i], &p.hi[i]) == 2;
	for (int k = 0; k < p.entries; k++) {
		ok &= fscanf(f, "%d %d %lf", &p.row[k], &col, &p.value[k]) == 3;
		if (!ok || col < 0 || col >= p.cols) { ok = 0; break; }
		p.start[col + 1] = k + 1;
	}
	if (!ok) { fprintf(stderr, "%s: damaged program\n", path); exit(2); }
	for (int j = 0; j < p.cols; j++)
		if (p.start[j + 1] == 0) p.start[j + 1] = p.start[j];
	fclose(f);
	return p;
}

static double now_ms(void) {
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b) {
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Repeats once(state, step) for about budget_ms, an even number of times and
 * at least least; returns the median milliseconds. */
static double median_ms(void (*once)(void *, int), void *state, double budget_ms, int least) {
	int cap = 1 << 16, n = 0;
	double *t = need(cap * sizeof(double)), start = now_ms();
	while (n < cap && (n < least || n % 2 || now_ms() - start < budget_ms)) {
		double before = now_ms();
		once(state, n);
		t[n++] = now_ms() - before;
	}
	qsort(t, n, sizeof(double), by_size);
	double m = t[n / 2];
	free(t);
	return m;
}

/* The user that leaves or comes back in a step: as in solverbench. */
static inline int moving_user(const program *p, int step) { return step / 2 * 7 % p->users; }
#endif
