/* Between numbers of different kinds, in every rounding mode, saturating. */
extern "C" __global__ void conversions(const float *in, long long *out)
{
	int i = threadIdx.x;
	float x = in[i];
	double d = (double)x * 1.0000001;
	long long *o = out + 14 * i;

	o[0] = __float2int_rn(x);
	o[1] = __float2int_rz(x);
	o[2] = __float2int_ru(x);
	o[3] = __float2int_rd(x);
	o[4] = __float2uint_rn(x);
	o[5] = __float2ll_rd(x);
	o[6] = __double2int_rn(d);
	o[7] = __double2ll_ru(d);
	o[8] = __float_as_int(__double2float_rd(d));
	o[9] = __float_as_int(__double2float_ru(d));
	o[10] = __float_as_int(__int2float_rz(i * 12345677));
	o[11] = __float_as_int(__saturatef(x));
	o[12] = (signed char)(int)fminf(fmaxf(x, -2e9f), 2e9f);
	o[13] = __float_as_int(__fadd_ru(x, 1e-3f));
}
