/*
 * Statistics of repeated measurements. The mean and the median of an empty
 * series are NaN; its deviation is 0.
 */
#ifndef HEDDLE_STAT_SERIES_H
#define HEDDLE_STAT_SERIES_H

#include <stddef.h>

double series_mean(const double *x, size_t n);
/* The standard deviation of a sample, over n - 1; 0 if n is 1. */
double series_deviation(const double *x, size_t n);
/* The coefficient of variation: the deviation over the mean; 0 if the mean is
 * 0. */
double series_variation(const double *x, size_t n);
/* If n is even, the mean of the two in the middle. Sorts the series. */
double series_median(double *x, size_t n);
/* All numbers must be above 0. */
double series_geometric_mean(const double *x, size_t n);

#endif
