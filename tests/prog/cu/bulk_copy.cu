/* Bulk copies: a ring of tiles that travel in while others are worked on and
 * go out again, and copies of another size for each lane. */
#define TILE 256
#define STAGES 3

typedef unsigned long long barrier;

static __device__ unsigned at(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void init(barrier *b, int count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n\t"
		     "fence.mbarrier_init.release.cluster;"
		     :
		     : "r"(at(b)), "r"(count)
		     : "memory");
}

static __device__ void load(void *to, const void *from, unsigned bytes,
			    barrier *b)
{
	asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 "
		     "_, [%3], %2;\n\t"
		     "cp.async.bulk.shared::cluster.global"
		     ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		     :
		     : "r"(at(to)), "l"(from), "r"(bytes), "r"(at(b))
		     : "memory");
}

/* The copy comes before the barrier knows of it. */
static __device__ void load_first(void *to, const void *from, unsigned bytes,
				  barrier *b)
{
	asm volatile(
		"{\n\t.reg .b64 policy, state;\n\t"
		"createpolicy.fractional.L2::evict_first.b64 policy;\n\t"
		"cp.async.bulk.shared::cta.global"
		".mbarrier::complete_tx::bytes.L2::cache_hint "
		"[%0], [%1], %2, [%3], policy;\n\t"
		"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%3], %2;\n\t"
		"mbarrier.arrive.shared::cta.b64 state, [%3];\n\t}"
		:
		: "r"(at(to)), "l"(from), "r"(bytes), "r"(at(b))
		: "memory");
}

static __device__ void store(void *to, const void *from, unsigned bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group "
		     "[%0], [%1], %2;\n\t"
		     "cp.async.bulk.commit_group;"
		     :
		     : "l"(to), "r"(at(from)), "r"(bytes)
		     : "memory");
}

static __device__ void wait(barrier *b, unsigned parity)
{
	unsigned done;

	do
		asm volatile("{\n\t.reg .pred p;\n\t"
			     "mbarrier.try_wait.parity.shared::cta.b64 "
			     "p, [%1], %2;\n\t"
			     "selp.u32 %0, 1, 0, p;\n\t}"
			     : "=r"(done)
			     : "r"(at(b)), "r"(parity)
			     : "memory");
	while (!done);
}

static __device__ void fence()
{
	asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

extern "C" __global__ void bulk_tiles(const int *in, int *out, int tiles)
{
	__shared__ __align__(128) int box[STAGES][TILE];
	__shared__ __align__(128) int done[2][TILE];
	__shared__ barrier full[STAGES];
	int t = threadIdx.x;

	in += blockIdx.x * tiles * TILE;
	out += blockIdx.x * tiles * TILE;
	if (t == 0)
		for (int s = 0; s < STAGES; s++)
			init(&full[s], 1);
	__syncthreads();
	if (t == 0)
		for (int s = 0; s < STAGES && s < tiles; s++)
			load(box[s], in + s * TILE, sizeof(box[s]), &full[s]);
	for (int k = 0; k < tiles; k++) {
		int s = k % STAGES;

		wait(&full[s], k / STAGES & 1);
		if (t == 0)
			asm volatile("cp.async.bulk.wait_group.read 1;"
				     :
				     :
				     : "memory");
		__syncthreads();
		for (int i = t; i < TILE; i += blockDim.x)
			done[k % 2][i] = box[s][TILE - 1 - i] + k;
		fence();
		__syncthreads();
		if (t == 0) {
			store(out + k * TILE, done[k % 2], sizeof(done[0]));
			if (k + STAGES < tiles)
				load_first(box[s], in + (k + STAGES) * TILE,
					   sizeof(box[s]), &full[s]);
		}
	}
	if (t == 0)
		asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}

/* Lane l copies l + 1 chunks of 16 bytes. */
extern "C" __global__ void bulk_lanes(const int4 *in, int4 *out)
{
	__shared__ int4 box[2][32 * 33 / 2];
	__shared__ barrier full;
	int l = threadIdx.x % 32, w = threadIdx.x / 32, from = l * (l + 1) / 2;

	asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;"
		     :
		     : "l"(in), "r"(64));
	if (threadIdx.x == 0)
		init(&full, blockDim.x);
	__syncthreads();
	load(&box[w][from], in + w * 528 + from, 16 * (l + 1), &full);
	wait(&full, 0);
	store(out + w * 528 + 528 - from - l - 1, &box[1 - w][from],
	      16 * (l + 1));
	asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}
