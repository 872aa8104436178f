#include <math.h>

#include "test.h"

#include "stat/series.h"

TEST(series, mean_deviation_and_variation_are_those_of_the_textbook)
{
	const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	EQ(5.0, series_mean(x, 8));
	OK(fabs(series_deviation(x, 8) - sqrt(32 / 7.0)) < 1e-15);
	OK(fabs(series_variation(x, 8) - sqrt(32 / 7.0) / 5) < 1e-15);
}

TEST(series, equal_numbers_do_not_vary_at_all)
{
	const double x[] = { 0.1, 0.1, 0.1 }, zero[] = { 0, 0 };

	EQ(0.0, series_deviation(x, 3));
	EQ(0.0, series_variation(x, 3));
	EQ(0.0, series_variation(zero, 2));
	EQ(0.0, series_deviation(x, 1));
	EQ(0.0, series_variation(x, 0));
}

TEST(series, numbers_far_from_zero_keep_their_deviation)
{
	const double x[] = { 1e15, 1e15 + 2, 1e15 + 4 };

	EQ(2.0, series_deviation(x, 3));
}

TEST(series, the_median_is_in_the_middle)
{
	double odd[] = { 9, 1, 5 }, even[] = { 8, 1, 2, 4 }, one[] = { 3 };

	EQ(5.0, series_median(odd, 3));
	EQ(3.0, series_median(even, 4));
	EQ(3.0, series_median(one, 1));
	EQ(NAN, series_median(one, 0));
	EQ(NAN, series_mean(one, 0));
}

TEST(series, the_geometric_mean_of_ratios)
{
	const double x[] = { 0.5, 2, 4 };

	OK(fabs(series_geometric_mean(x, 3) - cbrt(4)) < 1e-15);
}
