/* The mathematical functions of long double, which the x87 computes. */
#include <math.h>
#include <stdio.h>

static void show(const char *name, long double v)
{
	printf("%s %.17Lg\n", name, v);
}

int main(void)
{
	for (int i = 1; i < 40; i++) {
		long double x = (long double)i * 0.37L, y = 1.25L + i;

		show("log", logl(x));
		show("log2", log2l(x));
		show("log10", log10l(x));
		show("log1p", log1pl(x / 64));
		show("exp", expl(x));
		show("exp2", exp2l(-x));
		show("expm1", expm1l(x / 64));
		show("pow", powl(y, x));
		show("sin", sinl(x));
		show("cos", cosl(x * 1000));
		show("tan", tanl(x));
		show("atan2", atan2l(x, -y));
		show("asin", asinl(x / 16));
		show("acos", acosl(-x / 16));
		show("fmod", fmodl(x * 1e10L, y));
		show("remainder", remainderl(x * 1e10L, y));
		show("scalb", scalblnl(x, i - 20));
		show("logb", logbl(x));
		show("cbrt", cbrtl(x));
		show("hypot", hypotl(x, y));
		show("sinh", sinhl(x / 8));
		show("gamma", tgammal(x));
		printf("%lld %ld %d\n", llrintl(x * 1e5L), lrintl(-x),
		       ilogbl(x));
	}
	return 0;
}
