/*
 * Checks C = A * B in double precision: a second opinion that shares no code
 * with the simulator.
 *
 *	expect A.npy B.npy C.npy
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a square matrix of f32 in the format NumPy 1.0. */
static float *read_matrix(const char *path, long *n)
{
	unsigned char head[10];
	char text[1024] = "";
	const char *shape;
	long rows = 0, columns = 0;
	size_t length, count;
	float *m;
	FILE *f = fopen(path, "rb");

	if (!f || fread(head, 1, 10, f) != 10 ||
	    memcmp(head, "\x93NUMPY\x01", 7) != 0)
		goto bad;
	length = head[8] | (size_t)head[9] << 8;
	if (length >= sizeof(text) || fread(text, 1, length, f) != length)
		goto bad;
	shape = strstr(text, "'shape': (");
	if (!strstr(text, "'<f4'") || !shape ||
	    sscanf(shape, "'shape': (%ld, %ld)", &rows, &columns) != 2 ||
	    rows < 1 || rows != columns || (*n && rows != *n))
		goto bad;
	count = (size_t)rows * (size_t)rows;
	m = malloc(count * sizeof(*m));
	if (!m || fread(m, sizeof(*m), count, f) != count)
		goto bad;
	fclose(f);
	*n = rows;
	return m;
bad:
	fprintf(stderr, "expect: %s: expected a square matrix of f32\n", path);
	exit(1);
}

/*
 * The error of a sum of n products in f32, in any order, is at most about n
 * roundings of the sum of their magnitudes.
 */
static int check(const float *a, const float *b, const float *c, long n)
{
	double worst = 0, sum, size, error;
	long wrong = 0;

	for (long i = 0; i < n; i++)
		for (long j = 0; j < n; j++) {
			sum = size = 0;
			for (long k = 0; k < n; k++) {
				double p = (double)a[i * n + k] * b[k * n + j];

				sum += p;
				size += fabs(p);
			}
			error = fabs(c[i * n + j] - sum);
			if (error > worst)
				worst = error;
			if (error <= (double)n * 0x1p-24 * size)
				continue;
			if (wrong++ < 5)
				printf("C[%ld][%ld] is %.9g, not %.9g\n", i, j,
				       c[i * n + j], sum);
		}
	printf("checked %ld elements, maximal error %.3g: %s\n", n * n, worst,
	       wrong ? "WRONG" : "correct");
	return wrong ? 4 : 0;
}

int main(int argc, char **argv)
{
	float *m[3];
	long n = 0;
	int code;

	if (argc != 4) {
		fputs("usage: expect A.npy B.npy C.npy\n", stderr);
		return 2;
	}
	for (int i = 0; i < 3; i++)
		m[i] = read_matrix(argv[1 + i], &n);
	code = check(m[0], m[1], m[2], n);
	for (int i = 0; i < 3; i++)
		free(m[i]);
	return code;
}
