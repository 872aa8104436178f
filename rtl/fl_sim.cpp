/*
 * Runs the circuit: fl_top, as Verilator makes it, with its external memory and a host
 * that talks through pipes (sim.h).
 *
 *   fl_sim MEMORY LATENCY INTERVAL
 *
 * MEMORY is the number of an open file that is the external memory. Requests come from
 * the standard input, answers go to the standard output; at the end of the input the
 * program ends.
 */
#include "fl_sim.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <deque>

#include "Vfl_top.h"
#include "verilated.h"

enum { LINE = 128 };

/* An answer to a read, on its way. */
struct answer {
	uint64_t due;
	uint8_t bytes[LINE];
};

struct fl_sim {
	Vfl_top *top;
	uint8_t *memory;
	unsigned latency, interval;
	uint64_t now, free_at; /* the next line is taken in this cycle */
	std::deque<answer> answers;
	bool with_events;
	std::deque<fl_sim_event> events; /* that nobody has asked for yet */
};

/* Verilated code asks for the simulated time; nothing here has one. */
double sc_time_stamp()
{
	return 0;
}

/* The request that the circuit makes in this cycle. */
static void take_request(fl_sim *s)
{
	Vfl_top *top = s->top;
	uint8_t *line = s->memory + (size_t)top->mem_line * LINE;

	s->free_at = s->now + s->interval;
	if (!top->mem_write) {
		s->answers.emplace_back();
		s->answers.back().due = s->now + s->latency;
		memcpy(s->answers.back().bytes, line, LINE);
		return;
	}
	const uint32_t *words = &top->mem_data[0];
	for (int w = 0; w < LINE / 4; w++) {
		unsigned bytes = top->mem_bytes[w / 8] >> w % 8 * 4 & 15;

		if (bytes == 15)
			memcpy(line + 4 * w, &words[w], 4);
		else
			for (int b = 0; b < 4; b++)
				if (bytes >> b & 1)
					line[4 * w + b] = words[w] >> 8 * b;
	}
}

/* The first half of a cycle: what the circuit shows with these inputs. */
static void begin_cycle(fl_sim *s)
{
	Vfl_top *top = s->top;

	top->mem_ready = s->now >= s->free_at;
	top->mem_resp_valid = false;
	if (!s->answers.empty() && s->answers.front().due <= s->now) {
		top->mem_resp_valid = true;
		memcpy(&top->mem_resp_data[0], s->answers.front().bytes, LINE);
		s->answers.pop_front();
	}
	top->clk = 0;
	top->eval();
}

static void end_cycle(fl_sim *s)
{
	Vfl_top *top = s->top;

	if (top->mem_valid && top->mem_ready)
		take_request(s);
	if (top->ev_valid && s->with_events)
		s->events.push_back({ top->ev_cycle, top->ev_sm, top->ev_warp,
				      top->ev_pc, top->ev_lanes });
	s->top->clk = 1;
	s->top->eval();
	s->now++;
}

struct fl_sim *fl_sim_new(uint8_t *memory, unsigned latency, unsigned interval)
{
	fl_sim *s = new fl_sim();

	s->top = new Vfl_top;
	s->memory = memory;
	s->latency = latency;
	s->interval = interval;
	s->top->reset = 1;
	s->top->h_valid = 0;
	for (int i = 0; i < 2; i++) {
		begin_cycle(s);
		end_cycle(s);
	}
	s->top->reset = 0;
	return s;
}

void fl_sim_free(struct fl_sim *s)
{
	delete s->top;
	delete s;
}

static void access_host_port(fl_sim *s, bool write, uint32_t at, uint32_t data)
{
	bool taken = false;

	s->top->h_valid = 1;
	s->top->h_write = write;
	s->top->h_at = at;
	s->top->h_data = data;
	while (!taken) {
		begin_cycle(s);
		taken = s->top->h_ready;
		end_cycle(s);
	}
	s->top->h_valid = 0;
}

void fl_sim_write(struct fl_sim *s, uint32_t at, uint32_t data)
{
	access_host_port(s, true, at, data);
}

uint32_t fl_sim_read(struct fl_sim *s, uint32_t at)
{
	access_host_port(s, false, at, 0);
	return s->top->h_result;
}

bool fl_sim_busy(const struct fl_sim *s)
{
	return s->top->busy;
}

void fl_sim_record(struct fl_sim *s, bool on)
{
	s->with_events = on;
	s->events.clear();
}

size_t fl_sim_run(struct fl_sim *s, uint64_t *cycles,
		  struct fl_sim_event *events, size_t room)
{
	size_t count = 0;

	for (; *cycles && s->top->busy && s->events.size() < room; --*cycles) {
		begin_cycle(s);
		end_cycle(s);
	}
	for (; count < room && !s->events.empty(); count++) {
		events[count] = s->events.front();
		s->events.pop_front();
	}
	return count;
}

#ifndef FL_SIM_LIBRARY

/* ---- the pipes ----------------------------------------------------------- */

/* Reads all bytes; the host is gone if there are none left. */
static void get(void *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = read(0, (char *)to + done, size - done);

		if (n <= 0)
			_exit(0);
		done += n;
	}
}

static void put(const void *from, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(1, (const char *)from + done, size - done);

		if (n <= 0)
			_exit(0);
		done += n;
	}
}

/* Requests are read many at a time. */
static fl_sim_request next_request()
{
	static fl_sim_request read_ahead[512];
	static size_t first, count;

	if (first == count) {
		ssize_t n = read(0, read_ahead, sizeof(read_ahead));

		if (n <= 0)
			_exit(0);
		count = (n + sizeof(fl_sim_request) - 1) /
			sizeof(fl_sim_request);
		get((char *)read_ahead + n, count * sizeof(fl_sim_request) - n);
		first = 0;
	}
	return read_ahead[first++];
}

static void run(fl_sim *s, uint64_t cycles)
{
	enum { ROOM = 1024 };
	static fl_sim_event events[ROOM];
	fl_sim_ran ran = {};

	do {
		ran.events = fl_sim_run(s, &cycles, events, ROOM);
		ran.busy = fl_sim_busy(s);
		ran.more = ran.events == ROOM || (ran.busy && cycles);
		put(&ran, sizeof(ran));
		put(events, ran.events * sizeof(events[0]));
	} while (ran.more);
}

int main(int argc, char **argv)
{
	struct fl_sim *s;
	void *memory;
	off_t size;
	int file;

	/* The host decides when to end: it closes the pipe. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (argc != 4)
		return 2;
	file = atoi(argv[1]);
	size = lseek(file, 0, SEEK_END);
	memory = size > 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
				 file, 0) :
			    MAP_FAILED;
	if (memory == MAP_FAILED)
		return 1;
	s = fl_sim_new((uint8_t *)memory, atoi(argv[2]), atoi(argv[3]));
	for (;;) {
		fl_sim_request r = next_request();
		uint32_t word;

		switch (r.op) {
		case FL_SIM_WRITE:
			fl_sim_write(s, r.at, r.data);
			break;
		case FL_SIM_READ:
			word = fl_sim_read(s, r.at);
			put(&word, sizeof(word));
			break;
		case FL_SIM_RUN:
			run(s, r.data);
			break;
		case FL_SIM_EVENTS:
			fl_sim_record(s, r.data);
			break;
		default:
			return 2;
		}
	}
}

#endif
