/*
 * Numbers that were measured several times. An empty series has the mean and
 * the median NaN, and no deviation.
 */
#ifndef HEDDLE_STAT_SERIES_H
#define HEDDLE_STAT_SERIES_H

#include <stddef.h>

double series_mean(const double *x, size_t n);
/* The standard deviation of a sample, over n - 1; 0 of one number. */
double series_deviation(const double *x, size_t n);
/* The coefficient of variation: the deviation over the mean; 0 if that is 0. */
double series_variation(const double *x, size_t n);
/* Of an even number the mean of the two in the middle. Sorts the series. */
double series_median(double *x, size_t n);
/* Of numbers above 0. */
double series_geometric_mean(const double *x, size_t n);

#endif
