/*
 * Measures on an NVIDIA GPU of compute capability 9.0 how many cycles must pass
 * between two instructions, of which the second reads what the first writes:
 * pairs.txt. README.md has the commands.
 *
 *	record_pairs frame.cubin pairs.txt
 *
 * The two stand in a loop that loads the registers, runs them, and stores all
 * registers. The stall count of the first one is varied: the distance is the
 * shortest one for which the result is that of a long wait.
 * A pair that fails, or hangs, is named; each has a process of its own, for an
 * instruction that the GPU refuses makes a process useless.
 */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder.h"
#include "vec.h"

enum {
	SM = 90,
	WORDS = 64, /* of input; as many come out of each lane */
	OUTPUTS = 32 * WORDS,
	LONGEST = 80,
	LAST = 44, /* the longest distance that is tried */
	SOON = 24, /* the same, where no matrices are computed */
	STALL = 10,
	ROUNDS = 3, /* of the loop: later ones find the code in the cache */
	WORKERS = 8,
	HANG = 5,     /* seconds */
	SECONDS = 45, /* for all of them */
	PAIRS = 2000,
	LINE = 300,
	CUBIN = VEC_CUBIN
};

/* clang-format off */
static const char *const before[] = {
	"LDC.64 R2, c[0x0][0x210]", "LDC.64 R28, c[0x0][0x218]",
	"ULDC.64 UR40, c[0x0][0x208]", "MOV R40, 0x3",
	"S2R R0, SR_TID.X", "IMAD.WIDE.U32 R28, R0, 0x100, R28",
	/* the loop */
	"LDG.E.128 R4, desc[UR40][R2.64]", "LDG.E.128 R8, desc[UR40][R2.64+0x10]",
	"LDG.E.128 R12, desc[UR40][R2.64+0x20]", "LDG.E.128 R16, desc[UR40][R2.64+0x30]",
	"LDG.E.128 R20, desc[UR40][R2.64+0x40]", "LDG.E.128 R24, desc[UR40][R2.64+0x50]",
	"R2UR UR4, R4", "R2UR UR5, R5", "R2UR UR6, R6", "R2UR UR7, R7",
	"R2UR UR8, R8", "R2UR UR9, R9", "R2UR UR12, R12", "R2UR UR13, R13",
	"R2UR UR16, R16", "R2UR UR17, R17", "R2UR UR20, R20", "R2UR UR22, R22",
	"R2UR UR24, R24", "STS [RZ], R24", "STS [0x4], R25", "STS [0x8], R26",
	"ISETP.NE.AND P0, PT, RZ, RZ, PT", "ISETP.NE.AND P1, PT, RZ, RZ, PT",
	"ISETP.NE.AND P2, PT, RZ, RZ, PT", "ISETP.NE.AND P3, PT, RZ, RZ, PT",
	"ISETP.NE.AND P4, PT, RZ, RZ, PT", "ISETP.NE.AND P5, PT, RZ, RZ, PT",
	"UISETP.NE.AND UP3, UPT, URZ, URZ, UPT", "UISETP.NE.AND UP4, UPT, URZ, URZ, UPT",
	"NOP", "NOP", "NOP", "NOP", "NOP", "NOP"
};
static const char *const after[] = {
	"NOP", "NOP", "NOP", "NOP", "NOP", "NOP",
	"P2R R27, PR, RZ, 0x3f", "SEL R24, RZ, 0x1, !P4",
	"PLOP3.LUT P0, PT, PT, PT, UP3, 0x80, 0x0", "PLOP3.LUT P1, PT, PT, PT, UP4, 0x80, 0x0",
	"P2R R26, PR, RZ, 0x3f", "MOV R20, UR12", "MOV R21, UR13", "MOV R22, UR16",
	"MOV R23, UR17", "LDS R25, [RZ]",
	"STG.E.128 desc[UR40][R28.64], R12", "STG.E.128 desc[UR40][R28.64+0x10], R16",
	"STG.E.128 desc[UR40][R28.64+0x20], R20", "STG.E.128 desc[UR40][R28.64+0x30], R24",
	"VIADD R40, R40, 0xffffffff", "ISETP.NE.AND P6, PT, R40, RZ, PT",
	"@P6 BRA 0x60", "EXIT"
};
/* clang-format on */

/* Values that are numbers as integers, floats, halves and doubles. */
static const uint32_t inputs[WORDS] = {
	/* R4 to R11: operands */
	0x3f9a3e21, 0x3ff12345, 0x40123c52, 0x40067891, 0x3dcc3a31, 0x3fe54321,
	0x3f213b11, 0x400abcde,
	/* R12 to R15: what the first instruction replaces */
	0x00000004, 0x40133771, 0x00000007, 0x3ff77123,
	/* R16 to R19: what the second one replaces */
	0x11111111, 0x22222222, 0x33333333, 0x44444444,
	/* R20: 8, 1, the lanes of a warp, 1.0; R24: words of shared memory */
	0x00000008, 0x00000001, 0xffffffff, 0x3f800000, 0x00000051, 0x00000062,
	0x00000073, 0x00000084
};

struct pair {
	char first[LINE], second[LINE], next[LINE];
	char line[LINE];
};

enum { WAITING = 0, DONE = -1, BLIND = -2, STARTED = 999 };

struct result {
	int rc;            /* one of these, or the error of the driver */
	char ok[LAST + 1]; /* by distance */
};

static struct pair pairs[PAIRS];
static struct result *results;
static unsigned char frame[CUBIN];
static size_t frame_size;
static time_t deadline;

/* ---- the code ------------------------------------------------------------ */

struct text {
	unsigned char *bytes;
	uint32_t at;
};

static bool is_counted(const struct sass_inst *in)
{
	enum sass_pipe pipe = (enum sass_pipe)sass_row_of(in)->pipe;

	return (pipe == SASS_PIPE_MIO || pipe == SASS_PIPE_MEM) &&
	       sass_op_of(in) != SASS_OP_R2UR;
}

static void put(struct text *t, const char *line, unsigned stall, bool careful)
{
	struct sass_inst in;
	struct diag d = { 0 };
	uint64_t w[2];
	char text[LINE], *skip;

	snprintf(text, sizeof(text), "%s", line);
	skip = strstr(text, "SKIP");
	if (skip)
		snprintf(skip, 20, "0x%x", t->at + 2 * SASS_BYTES);
	if (sass_parse(&in, SM, t->at, text, &d)) {
		fprintf(stderr, "record: %s\n", d.text);
		if (!getenv("CHECK"))
			die(text);
		return;
	}
	in.ctrl = (struct sass_ctrl){ .stall = (uint8_t)stall,
				      .stay = !careful,
				      .write = SASS_NO_COUNTER,
				      .read = SASS_NO_COUNTER,
				      .wait = careful ? 0x3f : 0 };
	if (sass_row_of(&in)->kind == KIND_STORE)
		in.ctrl.read =
			1; /* it has no result that a counter could end */
	else if (is_counted(&in))
		in.ctrl.write = 0;
	sass_encode(&in, w);
	memcpy(t->bytes + t->at, w, sizeof(w));
	t->at += SASS_BYTES;
}

/* Between the two: the stall count of the first, then NOPs. */
static void put_pair(struct text *t, const struct pair *p, int distance)
{
	int left = distance;

	put(t, p->first, left < STALL ? left : STALL, false);
	while ((left -= STALL) > 0)
		put(t, "NOP", left < STALL ? left : STALL, false);
	put(t, p->second, 15, false);
	if (*p->next)
		put(t, p->next, 15, true);
}

static void build(unsigned char *cubin, const struct pair *p, int distance)
{
	struct text t = { .bytes = cubin + VEC_TEXT_AT };

	memcpy(cubin, frame, frame_size);
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
		put(&t, before[i], 15, true);
	put_pair(&t, p, distance);
	for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++)
		put(&t, after[i], 15, true);
	if (t.at > VEC_TEXT_SIZE)
		die("the code is too long");
	while (t.at < VEC_TEXT_SIZE)
		put(&t, "NOP", 15, true);
}

/* ---- running it ---------------------------------------------------------- */

static CUresult run(CUdeviceptr in, CUdeviceptr out, const struct pair *p,
		    int distance, uint32_t *stored)
{
	unsigned char image[CUBIN];
	CUmodule mod;
	CUfunction f;
	void *params[] = { &in, &out };
	CUresult rc;

	build(image, p, distance);
	rc = cuModuleLoadData(&mod, image);
	if (rc)
		return rc;
	rc = cuModuleGetFunction(&f, mod, "frame");
	if (!rc)
		rc = cuMemsetD8(out, 0, OUTPUTS * 4);
	if (!rc)
		rc = cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 1024, NULL, params,
				    NULL);
	if (!rc)
		rc = cuCtxSynchronize();
	if (!rc)
		rc = cuMemcpyDtoH(stored, out, OUTPUTS * 4);
	cuModuleUnload(mod);
	return rc;
}

/* Whether what the second instruction left depends on the first: a result that
 * is the same without it shows nothing. The first one's own results do not count. */
static bool second_differs(const uint32_t *want, const uint32_t *got)
{
	enum { FIRST_RESULTS = 4, UNIFORM_AT = 8, UNIFORM = 2, PREDS_AT = 14 };
	uint32_t preds = 0x17; /* P3 and UP3 are results of the first one */

	for (int k = 0; k < OUTPUTS; k++) {
		uint32_t d = want[k] ^ got[k];
		int i = k % WORDS;

		if (i < FIRST_RESULTS)
			continue;
		if (i >= UNIFORM_AT && i < UNIFORM_AT + UNIFORM)
			continue;
		if (i >= PREDS_AT && i < PREDS_AT + 2)
			d &= preds & ~(i == PREDS_AT ? 1u : 0u);
		if (d)
			return true;
	}
	return false;
}

static void measure(const struct pair *p, struct result *r, CUdeviceptr in,
		    CUdeviceptr out)
{
	uint32_t want[OUTPUTS], got[OUTPUTS];
	struct pair without = *p;
	int last;

	alarm(HANG);
	last = strstr(p->first, "MMA.") && strncmp(p->first, "HFMA2", 5) ?
		       LAST :
		       SOON;
	memset(r->ok, '?', last);
	r->rc = (int)run(in, out, p, LONGEST, want);
	/* from first on it is long enough, as far as has been tried */
	for (int first = 1, d; first < last + 1 && !r->rc;) {
		d = (first + last) / 2;
		r->rc = (int)run(in, out, p, d, got);
		r->ok[d - 1] = memcmp(want, got, sizeof(want)) ? '.' : '#';
		if (r->ok[d - 1] == '#')
			last = d - 1;
		else
			first = d + 1;
	}
	snprintf(without.first, LINE, "NOP");
	if (!r->rc)
		r->rc = (int)run(in, out, &without, LONGEST, got);
	if (r->rc)
		_exit(0);
	r->rc = second_differs(want, got) ? DONE : BLIND;
}

static void work(int number, int count)
{
	CUcontext ctx;
	CUdevice dev;
	CUdeviceptr in, out;

	need(cuInit(0), "cuInit");
	need(cuDeviceGet(&dev, 0), "device");
	need(cuDevicePrimaryCtxRetain(&ctx, dev), "context");
	need(cuCtxSetCurrent(ctx), "context");
	need(cuMemAlloc(&in, sizeof(inputs)), "memory");
	need(cuMemAlloc(&out, OUTPUTS * 4), "memory");
	need(cuMemcpyHtoD(in, inputs, sizeof(inputs)), "copy");
	for (int i = number; i < count; i += WORKERS)
		if (!results[i].rc && time(NULL) < deadline) {
			results[i].rc = STARTED;
			measure(&pairs[i], &results[i], in, out);
		}
	_exit(7);
}

/* Starts it again until it has tried all of its pairs. */
static void supervise(int number, int count)
{
	int status = 0;

	for (int tries = 0; tries < count + 1; tries++) {
		pid_t pid = fork();

		if (pid == 0)
			work(number, count);
		waitpid(pid, &status, 0);
		if (WIFEXITED(status) && WEXITSTATUS(status))
			break;
	}
	_exit(0);
}

/* ---- the files ----------------------------------------------------------- */

static int read_pairs(const char *path)
{
	FILE *in = fopen(path, "r");
	int n = 0;

	if (!in)
		die("cannot open the pairs");
	while (n < PAIRS && fgets(pairs[n].line, LINE, in)) {
		struct pair *p = &pairs[n];

		if (sscanf(p->line, "%*[^\t]\t%[^\t\n]\t%[^\t\n]\t%[^\t\n]",
			   p->first, p->second, p->next) >= 2)
			n++;
	}
	fclose(in);
	return n;
}

static void print_pair(const struct pair *p, const struct result *r)
{
	int d = (int)strlen(r->ok);

	while (d > 0 && r->ok[d - 1] != '.')
		d--;
	if (r->rc == DONE)
		printf("%d", d + 1);
	else if (r->rc == BLIND)
		printf("blind");
	else
		printf("error %d", r->rc);
	printf("\t%s\t%s%s%s\t%s\n", p->first, p->second, *p->next ? "\t" : "",
	       p->next, r->ok);
}

int main(int argc, char **argv)
{
	int count;
	FILE *in;

	if (argc != 3 || !(in = fopen(argv[1], "rb")))
		die("usage: record_pairs frame.cubin pairs.txt");
	frame_size = fread(frame, 1, sizeof(frame), in);
	fclose(in);
	count = read_pairs(argv[2]);
	results = mmap(NULL, sizeof(*results) * PAIRS, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		die("out of memory");
	for (int i = 0; i < count; i++) {
		unsigned char image[CUBIN];

		build(image, &pairs[i], 1);
	}
	if (getenv("CHECK"))
		return 0;
	deadline = time(NULL) + SECONDS;
	for (int n = 0; n < WORKERS; n++)
		if (fork() == 0)
			supervise(n, count);
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < count; i++)
		print_pair(&pairs[i], &results[i]);
	return 0;
}
