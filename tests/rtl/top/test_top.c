/*
 * What only the whole circuit has: the window to external memory, an end that is asked
 * for, and launches after one that has faulted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit.h"
#include "rig.h"
#include "test.h"

/* ---- the window ---------------------------------------------------------- */

/* An access waits until the line before it has been moved. */
static void settle(void)
{
	const struct fl_link *k = circuit_link();
	struct diag d;
	uint32_t word;

	EQ(ERR_OK, k->read(k->ctx, FL_CONTROL_line, &word, &d));
}

TEST(rtl_top, the_window_reaches_all_bytes_of_memory)
{
	enum { AT = 0x123456, BYTES = 1000 };
	uint8_t *memory = circuit_memory(), bytes[BYTES], back[BYTES];
	struct diag d;

	for (int i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
	memset(memory + AT - 256, 0xee, BYTES + 512);
	EQ(ERR_OK, fl_circuit_store(circuit_link(), AT, bytes, BYTES, &d));
	settle();
	OK(!memcmp(memory + AT, bytes, BYTES));
	/* What is around it is as before. */
	for (int i = 1; i <= 256; i++) {
		EQ(0xee, memory[AT - i]);
		EQ(0xee, memory[AT + BYTES + i - 1]);
	}
	memset(back, 0, sizeof(back));
	EQ(ERR_OK, fl_circuit_load(circuit_link(), AT, back, BYTES, &d));
	OK(!memcmp(bytes, back, BYTES));
	/* The last line. */
	EQ(ERR_OK,
	   fl_circuit_store(circuit_link(), FL_MEMORY_BYTES - 3, bytes, 3, &d));
	settle();
	OK(!memcmp(memory + FL_MEMORY_BYTES - 3, bytes, 3));
}

TEST(rtl_top, settings_can_be_read_back)
{
	const struct fl_link *k = circuit_link();
	struct diag d;
	uint32_t word;

	for (uint32_t i = FL_HOST_SETTING; i < FL_SETTING_END; i++)
		EQ(ERR_OK, k->write(k->ctx, i, i * 0x9e3779b9, &d));
	for (uint32_t i = FL_HOST_SETTING; i < FL_SETTING_END; i++) {
		EQ(ERR_OK, k->read(k->ctx, i, &word, &d));
		EQ(i * 0x9e3779b9, word);
	}
	EQ(ERR_OK, k->read(k->ctx, FL_CONTROL_identity, &word, &d));
	EQ(FL_CIRCUIT_IDENTITY, word);
}

/* ---- faults ---------------------------------------------------------------- */

/* A thread of a block stores to an address, or traps; others store where they may. */
static const char fault_ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k(.param .u64 to, .param .u32 who, .param .u32 how) {\n"
	".reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
	"ld.param.u64 %rd0, [to]; ld.param.u32 %r0, [who];\n"
	"ld.param.u32 %r5, [how];\n"
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
	"mad.lo.u32 %r4, %r2, %r3, %r1;\n"
	"mul.wide.u32 %rd1, %r4, 4; mov.u64 %rd2, 0x200000;\n"
	"add.u64 %rd1, %rd1, %rd2;\n"
	"setp.eq.u32 %p0, %r4, %r0; setp.eq.u32 %p1, %r5, 1;\n"
	"and.pred %p2, %p0, %p1;\n"
	"@%p0 mov.u64 %rd1, %rd0;\n"
	"@%p2 trap;\n"
	"st.global.u32 [%rd1], %r4;\n"
	"ld.global.u32 %r6, [%rd1];\n"
	"st.global.u32 [%rd1], %r6;\n"
	"ret; }\n";

static void fault(uint32_t to, uint32_t who, uint32_t how,
		  enum fl_fault_kind kind)
{
	struct rig r = { 0 };

	OK(rig_compile(&r, "fault.ptx", fault_ptx, strlen(fault_ptx), NULL));
	rig_config(&r, NULL);
	rig_param(&r, 0, to);
	rig_param(&r, 1, who);
	rig_param(&r, 2, how);
	rig_run(&r, 20, 96);
	EQ(kind, r.fault.kind);
	rig_free(&r);
}

TEST(rtl_top, faults_are_those_of_the_model)
{
	fault(0x10, 37, 0, FL_FAULT_ADDRESS);
	fault(0x20000000, 1900, 0, FL_FAULT_ADDRESS);
	fault(0x1ffffffe, 700, 0, FL_FAULT_ADDRESS);
	fault(0x300001, 95, 0, FL_FAULT_MISALIGNED);
	fault(0x300000, 1000, 1, FL_FAULT_TRAP);
	/* The next launch is not disturbed. */
	fault(0x300000, 1000, 0, FL_FAULT_NONE);
	fault(0xfffffffc, 0, 0, FL_FAULT_ADDRESS);
	fault(0x300000, 0, 0, FL_FAULT_NONE);
}

/* ---- an end that is asked for -------------------------------------------------- */

static const char endless_ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry k() { L: bra L; }\n";

static unsigned polls;

static bool stop_later(void)
{
	return ++polls > 2;
}

TEST(rtl_top, a_launch_can_be_stopped)
{
	struct rig r = { 0 };
	struct fl_counters counters;

	polls = 0;
	OK(rig_compile(&r, "endless.ptx", endless_ptx, strlen(endless_ptx),
		       NULL));
	rig_config(&r, NULL);
	r.launch = (struct fl_launch){ .code = r.code,
				       .kernel = &r.code->kernels[0],
				       .grid = { 40, 1, 1 },
				       .block = { 64, 1, 1 },
				       .params = r.params,
				       .memory = circuit_memory(),
				       .stop = stop_later };
	EQ(ERR_OK, fl_circuit_run(circuit_link(), &r.config, &r.launch,
				  &r.stats, &counters, &r.fault, &r.d));
	EQ(FL_FAULT_STOPPED, r.fault.kind);
	rig_free(&r);
	fault(0x300000, 5, 0, FL_FAULT_NONE);
}

TEST(rtl_top, a_launch_ends_at_its_limit)
{
	struct rig r = { 0 };

	OK(rig_compile(&r, "endless.ptx", endless_ptx, strlen(endless_ptx),
		       NULL));
	rig_config(&r, NULL);
	r.launch.max_cycles = 4321;
	rig_run(&r, 3, 40);
	EQ(FL_FAULT_LIMIT, r.fault.kind);
	rig_free(&r);
	fault(0x300000, 5, 0, FL_FAULT_NONE);
}

/* ---- an end while registers move -------------------------------------------------- */

enum { VALUES = 26, TEXT = 8192 };

/* A kernel that holds VALUES registers and does not end soon. */
static void make_wide(char *text)
{
	size_t n = (size_t)snprintf(
		text, TEXT,
		".version 7.0\n.target sm_70\n.address_size 64\n"
		".visible .entry k() {\n.reg .pred %%p; .reg .b32 %%r<%d>;\n"
		".reg .b64 %%rd;\nmov.u64 %%rd, 0x200000;\n"
		"mov.u32 %%r%d, %%tid.x;\n",
		VALUES + 1, VALUES);

	for (int i = 0; i < VALUES; i++)
		n += (size_t)snprintf(text + n, TEXT - n,
				      "add.u32 %%r%d, %%r%d, %d;\n", i, VALUES,
				      i);
	n += (size_t)snprintf(text + n, TEXT - n, "L:\n");
	for (int i = 0; i < VALUES; i++)
		n += (size_t)snprintf(text + n, TEXT - n,
				      "mad.lo.u32 %%r%d, %%r%d, 3, %%r%d;\n", i,
				      i, (i + 1) % VALUES);
	n += (size_t)snprintf(text + n, TEXT - n,
			      "setp.ne.u32 %%p, %%r0, 7;\n@%%p bra L;\n");
	for (int i = 0; i < VALUES; i++)
		n += (size_t)snprintf(text + n, TEXT - n,
				      "st.global.u32 [%%rd+%d], %%r%d;\n",
				      4 * i, i);
	n += (size_t)snprintf(text + n, TEXT - n, "ret; }\n");
	OK(n < TEXT);
}

/* At the limit, after a turn of each multiprocessor, the registers of the next turn are
 * on their way. The launch after it has other ones, and fewer. */
static void end_after(uint32_t slice)
{
	const char *const settings[] = { "sm.count=3", NULL };
	struct rig r = { 0 };
	char text[TEXT];

	make_wide(text);
	OK(rig_compile(&r, "wide.ptx", text, strlen(text), NULL));
	OK(r.code->kernels[0].regs >= VALUES);
	rig_config(&r, settings);
	r.config.slice = slice;
	r.launch.max_cycles = slice;
	rig_run(&r, 12, 256);
	EQ(FL_FAULT_LIMIT, r.fault.kind);
	rig_free(&r);
	fault(0x300000, 5, 0, FL_FAULT_NONE);
}

TEST(rtl_top, a_launch_may_follow_one_that_ended_while_registers_moved)
{
	for (uint32_t slice = 20; slice <= 620; slice += 120)
		end_after(slice);
}
