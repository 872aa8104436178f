/* A host file: no CUDA language, only the API. */
#include <iostream>
#include <numeric>
#include <vector>

#include "shared.h"

int main()
{
	std::vector<float> x(1000);
	int wrong = 0;

	std::iota(x.begin(), x.end(), 0.0f);
	const int done = scale_on_device(x.data(), (int)x.size());
	for (size_t i = 0; i < x.size(); i++)
		wrong += x[i] != (float)(i * (i % 4 + 1));
	std::cout << devices() << " device, " << done << " threads, " << wrong
		  << " wrong" << std::endl;
	return done != 1000 || wrong;
}
