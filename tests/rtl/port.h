/*
 * The arbiter of external memory (fl_port), as Verilator makes it, for tests in C.
 */
#ifndef HEDDLE_TESTS_RTL_PORT_H
#define HEDDLE_TESTS_RTL_PORT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who asks, the first one first; nobody. */
enum { PORT_LS, PORT_SWITCH, PORT_HOST, PORT_USERS };
enum { PORT_BYTES = 4, PORT_DATA = 32 }; /* words of the byte mask, of a line */

struct port_request {
	bool valid, write;
	uint32_t line, bytes[PORT_BYTES], data[PORT_DATA];
};

struct port_in {
	bool reset;
	struct port_request user[PORT_USERS];
	bool mem_ready, mem_resp_valid;
};
/* All before the cycle's end. */
struct port_out {
	bool ready[PORT_USERS], resp_valid[PORT_USERS];
	struct port_request mem;
	bool took_ls, took_switch;
};

void port_cycle(const struct port_in *in, struct port_out *out);

#ifdef __cplusplus
}
#endif

#endif
