/*
 * Text with quotes and nested brackets, as JSON has it: bitmaps of quotes,
 * escapes and brackets by ballots, what is inside of strings by exclusive-or
 * prefixes, depths by a scan over signs, and the places of all structure
 * characters, compacted in order; and numbers parsed by a thread each.
 *
 * SIZE: bytes of the largest text.
 */
#include "common.h"

#include <string>
#include <vector>

#define THREADS 256
#define WORDS (THREADS / WARP)

static struct workload self = { "json_scan", "bytes", 120000, 1000, 1 << 22 };

/* Quotes that are not escaped, 32 characters a word; runs of backslashes may
 * cross words, and are counted backwards. Each block's parity. */
__global__ void find_quotes(int n, const char *text, unsigned *quotes,
			    unsigned *parity)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	bool quote = i < n && text[i] == '"';

	if (quote) {
		int back = i - 1;

		while (back >= 0 && text[back] == '\\')
			back--;
		quote = (i - 1 - back) % 2 == 0;
	}
	unsigned word = __ballot_sync(ALL, quote);
	if (threadIdx.x % WARP == 0)
		quotes[i / WARP] = word;
	int odd = __syncthreads_count(quote) & 1;
	if (threadIdx.x == 0)
		parity[blockIdx.x] = odd;
}

/* For each block what is before it: parity, then (later) depth and count. */
__global__ void scan_one(int n, int *a, int bits)
{
	__shared__ int ends[WARP];
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, before = 0;

	for (int first = 0; first < n; first += blockDim.x) {
		int i = first + threadIdx.x, own = i < n ? a[i] : 0, v = own;

		for (int d = 1; d < WARP; d *= 2) {
			int low = __shfl_up_sync(ALL, v, d);

			v += lane >= d ? low : 0;
		}
		if (lane == WARP - 1)
			ends[warp] = v;
		__syncthreads();
		int base = before;
		for (int w = 0; w < blockDim.x / WARP; w++) {
			base += w < warp ? ends[w] : 0;
			before += ends[w];
		}
		if (i < n)
			a[i] = bits ? (base + v - own) & 1 : base + v - own;
		__syncthreads();
	}
}

__device__ static unsigned prefix_xor(unsigned v)
{
#pragma unroll
	for (int d = 1; d < 32; d *= 2)
		v ^= v << d;
	return v;
}

__global__ void find_structure(int n, const char *text, const unsigned *quotes,
			       const int *parity, unsigned *structure,
			       int *depths, int *counts)
{
	__shared__ unsigned odd[WORDS];
	__shared__ int depth, count;
	int i = blockIdx.x * THREADS + threadIdx.x, warp = threadIdx.x / WARP;
	unsigned word = quotes[i / WARP], inside = prefix_xor(word);
	char c = i < n ? text[i] : ' ';

	if (threadIdx.x == 0)
		depth = count = 0;
	if (threadIdx.x % WARP == 0)
		odd[warp] = inside >> 31;
	__syncthreads();
	unsigned flip = parity[blockIdx.x];
	for (int w = 0; w < warp; w++)
		flip ^= odd[w];
	bool in_string = (inside >> threadIdx.x % WARP & 1) ^ flip;
	bool up = !in_string && (c == '{' || c == '[');
	bool down = !in_string && (c == '}' || c == ']');
	bool mark = up || down || (!in_string && (c == ':' || c == ','));
	unsigned ups = __ballot_sync(ALL, up), downs = __ballot_sync(ALL, down);
	unsigned marks = __ballot_sync(ALL, mark);
	if (threadIdx.x % WARP == 0) {
		structure[i / WARP] = marks;
		atomicAdd(&depth, __popc(ups) - __popc(downs));
		atomicAdd(&count, __popc(marks));
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		depths[blockIdx.x] = depth;
		counts[blockIdx.x] = count;
	}
}

/* place << 8 | depth after the character */
__global__ void list_structure(int n, const char *text,
			       const unsigned *structure, const int *depths,
			       const int *counts, int *list)
{
	__shared__ int marks_of[WORDS], depth_of[WORDS];
	int i = blockIdx.x * THREADS + threadIdx.x, warp = threadIdx.x / WARP;
	unsigned marks = structure[i / WARP], upto = 2u << threadIdx.x % WARP;
	char c = i < n ? text[i] : ' ';
	bool mark = marks >> threadIdx.x % WARP & 1;
	unsigned ups = __ballot_sync(ALL, mark && (c == '{' || c == '['));
	unsigned downs = __ballot_sync(ALL, mark && (c == '}' || c == ']'));

	if (threadIdx.x % WARP == 0) {
		marks_of[warp] = __popc(marks);
		depth_of[warp] = __popc(ups) - __popc(downs);
	}
	__syncthreads();
	if (!mark)
		return;
	int at = counts[blockIdx.x] + __popc(marks & (upto - 1)) - 1;
	int depth = depths[blockIdx.x] + __popc(ups & (upto - 1)) -
		    __popc(downs & (upto - 1));
	for (int w = 0; w < warp; w++) {
		at += marks_of[w];
		depth += depth_of[w];
	}
	list[at] = i << 8 | depth;
}

/* The number after each ':' or ',' or '[' that has one. */
__global__ void parse_numbers(int n, int marks, const char *text,
			      const int *list, double *values)
{
	int k = blockIdx.x * blockDim.x + threadIdx.x;
	double v = 0, scale = 1;
	bool minus = false;

	if (k >= marks)
		return;
	int i = (list[k] >> 8) + 1;
	while (i < n && text[i] == ' ')
		i++;
	if (i < n && text[i] == '-') {
		minus = true;
		i++;
	}
	for (; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		v = v * 10 + (text[i] - '0');
	if (i < n && text[i] == '.')
		for (i++; i < n && text[i] >= '0' && text[i] <= '9'; i++) {
			v = v * 10 + (text[i] - '0');
			scale *= 10;
		}
	values[k] = (minus ? -v : v) / scale;
}

static void put(std::string &s, uint64_t *seed, int depth)
{
	static const char *const words[] = { "\"a\\\"b\"", "\"[x]: {}\"",
					     "true",       "\"\\\\\"",
					     "null",       "\"\"" };
	int kind = random_below(seed, depth > 6 ? 4 : 7), n;

	if (kind < 2) {
		s += words[random_below(seed, 6)];
	} else if (kind < 4) {
		s += random_below(seed, 3) ? "" : "-";
		s += std::to_string(random_below(seed, 100000));
		if (random_below(seed, 2))
			s += "." + std::to_string(random_below(seed, 1000));
	} else {
		s += kind == 4 ? "[" : "{";
		n = random_below(seed, 6);
		for (int i = 0; i < n; i++) {
			s += i ? ", " : "";
			if (kind != 4)
				s += "\"key" + std::to_string(i) + "\": ";
			put(s, seed, depth + 1);
		}
		s += kind == 4 ? "]" : "}";
	}
}

static void run(int size)
{
	uint64_t seed = size;
	std::string s = "[0";
	while ((int)s.size() < size) {
		s += ",\n";
		put(s, &seed, 1);
	}
	s += "]";
	int n = s.size(), blocks = blocks_of(n, THREADS);
	array<char> text(n);
	array<unsigned> quotes(blocks * WORDS), marks(quotes.n);
	array<int> parity(blocks), depths(blocks), counts(blocks), list(n);
	std::vector<int> want;
	std::vector<double> numbers;
	bool inside = false;

	memcpy(text.host, s.data(), n);
	text.upload();
	for (int i = 0, depth = 0; i < n; i++) {
		char c = s[i];

		if (inside) {
			i += c == '\\';
			inside = c != '"';
			continue;
		}
		inside = c == '"';
		depth += c == '[' || c == '{' ? 1 :
			 c == ']' || c == '}' ? -1 :
						0;
		if (!strchr("[]{},:", c))
			continue;
		want.push_back(i << 8 | depth);
		size_t j = i + 1;
		while (j < s.size() && s[j] == ' ')
			j++;
		bool number = j < s.size() && (s[j] == '-' || isdigit(s[j]));
		numbers.push_back(number ? strtod(s.c_str() + j, NULL) : 0);
	}
	array<double> values(want.size());
	find_quotes<<<blocks, THREADS>>>(n, text.device, quotes.device,
					 (unsigned *)parity.device);
	scan_one<<<1, 256>>>(blocks, parity.device, 1);
	find_structure<<<blocks, THREADS>>>(n, text.device, quotes.device,
					    parity.device, marks.device,
					    depths.device, counts.device);
	scan_one<<<1, 256>>>(blocks, depths.device, 0);
	scan_one<<<1, 256>>>(blocks, counts.device, 0);
	list_structure<<<blocks, THREADS>>>(n, text.device, marks.device,
					    depths.device, counts.device,
					    list.device);
	parse_numbers<<<blocks_of(want.size(), 128), 128>>>(
		n, want.size(), text.device, list.device, values.device);
	CHECK_LAUNCH();
	list.download();
	values.download();
	check_exact(&self, list.host, want.data(), want.size(), "structure");
	check_exact(&self, values.host, numbers.data(), numbers.size(),
		    "numbers");
}

int main(int argc, char **argv)
{
	int n = size_arg(&self, argc, argv);

	run(n / 100);
	run(n / 4);
	run(n);
	return report(&self);
}
