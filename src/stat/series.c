#include "stat/series.h"

#include <math.h>
#include <stdlib.h>

double series_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum / (double)n;
}

/* Computed relative to the first number, so that equal numbers give exactly
 * 0. */
double series_deviation(const double *x, size_t n)
{
	double sum = 0, squares = 0;

	if (n < 2)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i] - x[0];
	for (size_t i = 0; i < n; i++) {
		double off = x[i] - x[0] - sum / (double)n;

		squares += off * off;
	}
	return sqrt(squares / (double)(n - 1));
}

double series_variation(const double *x, size_t n)
{
	double mean = n ? series_mean(x, n) : 0;

	return mean != 0 ? series_deviation(x, n) / mean : 0;
}

static int series_by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double series_median(double *x, size_t n)
{
	if (!n)
		return NAN;
	qsort(x, n, sizeof(*x), series_by_size);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

double series_geometric_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += log(x[i]);
	return exp(sum / (double)n);
}
