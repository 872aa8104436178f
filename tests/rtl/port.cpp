#include "port.h"

#include <string.h>

#include "Vfl_port.h"

#define SET(port, name, r)                                                   \
	do {                                                                 \
		(port)->name##_valid = (r).valid;                            \
		(port)->name##_write = (r).write;                            \
		(port)->name##_line = (r).line;                              \
		memcpy(&(port)->name##_bytes, (r).bytes, sizeof((r).bytes)); \
		memcpy(&(port)->name##_data, (r).data, sizeof((r).data));    \
	} while (0)

static void set_inputs(Vfl_port *port, const struct port_in *in)
{
	port->reset = in->reset;
	port->mem_ready = in->mem_ready;
	port->mem_resp_valid = in->mem_resp_valid;
	SET(port, ls, in->user[PORT_LS]);
	SET(port, sw, in->user[PORT_SWITCH]);
	SET(port, ho, in->user[PORT_HOST]);
}

static void get_outputs(Vfl_port *port, struct port_out *out)
{
	out->ready[PORT_LS] = port->ls_ready;
	out->ready[PORT_SWITCH] = port->sw_ready;
	out->ready[PORT_HOST] = port->ho_ready;
	out->resp_valid[PORT_LS] = port->ls_resp_valid;
	out->resp_valid[PORT_SWITCH] = port->sw_resp_valid;
	out->resp_valid[PORT_HOST] = port->ho_resp_valid;
	out->mem.valid = port->mem_valid;
	out->mem.write = port->mem_write;
	out->mem.line = port->mem_line;
	memcpy(out->mem.bytes, &port->mem_bytes, sizeof(out->mem.bytes));
	memcpy(out->mem.data, &port->mem_data, sizeof(out->mem.data));
	out->took_ls = port->took_ls;
	out->took_switch = port->took_switch;
}

void port_cycle(const struct port_in *in, struct port_out *out)
{
	static Vfl_port *port = new Vfl_port;

	set_inputs(port, in);
	port->clk = 0;
	port->eval();
	get_outputs(port, out);
	port->clk = 1;
	port->eval();
}
