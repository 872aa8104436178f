/* Functions that call each other, one of which cannot run. README.md says how it is
 * compiled. */
#define APART __attribute__((noinline))

APART int cannot(int a)
{
	int r;

	__asm__ volatile("s_getreg_b32 %0, hwreg(HW_REG_TRAPSTS)" : "=s"(r));
	return r + a;
}

static APART int power(int a)
{
	for (int i = 0; i < 5; i++)
		a += i * a;
	return a;
}

static APART int middle(int a)
{
	return cannot(a) + 1;
}

kernel void plain(global int *p)
{
	p[0] = 7;
}

kernel void calls(global int *p)
{
	p[0] = power(p[1]);
}

kernel void reaches(global int *p)
{
	p[0] = middle(p[2]) + power(p[1]);
}
