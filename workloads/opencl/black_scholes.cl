/* The cumulative normal distribution (Abramowitz and Stegun 26.2.17). */
float normal(float d)
{
	float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
	float tail = exp(-0.5f * d * d) * 0.39894228040143267794f * k *
		     (0.31938153f +
		      k * (-0.356563782f +
			   k * (1.781477937f +
				k * (-1.821255978f + k * 1.330274429f))));

	return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *price, global const float *strike,
			  global const float *years, global float *call,
			  global float *put, float rate, float volatility)
{
	int i = get_global_id(0);
	float root = sqrt(years[i]);
	float d1 = (log(price[i] / strike[i]) +
		    (rate + 0.5f * volatility * volatility) * years[i]) /
		   (volatility * root);
	float d2 = d1 - volatility * root;
	float discount = strike[i] * exp(-rate * years[i]);

	call[i] = price[i] * normal(d1) - discount * normal(d2);
	put[i] = discount * normal(-d2) - price[i] * normal(-d1);
}
