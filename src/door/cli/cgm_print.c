/* heddle cgm: what is printed. */
#include <inttypes.h>
#include <stdio.h>

#include "door/cli/cgm.h"

static void cgm_print_sort(const char *who, const char *what, uint64_t count,
			   uint64_t ticks, uint64_t max, double ns)
{
	if (count)
		printf("  %-4s %-8s %12" PRIu64 "   mean %8.1f ns   max %8.1f "
		       "ns\n",
		       who, what, count, (double)ticks / (double)count * ns,
		       (double)max * ns);
}

static void cgm_print_port(const char *who, const struct cgm_stat_port *p,
			   double ns)
{
	cgm_print_sort(who, "reads", p->reads, p->read_ticks, p->read_max, ns);
	cgm_print_sort(who, "stores", p->writes, p->write_ticks, p->write_max,
		       ns);
	cgm_print_sort(who, "atomics", p->atomics, p->atomic_ticks,
		       p->atomic_max, ns);
	cgm_print_sort(who, "flushes", p->flushes, p->flush_ticks, p->flush_max,
		       ns);
}

static void cgm_print_hits(const char *name, uint64_t hits, uint64_t all)
{
	if (all)
		printf("  %-13s %12" PRIu64 " of %" PRIu64 " hit (%.1f%%)\n",
		       name, hits, all, 100.0 * (double)hits / (double)all);
}

void cgm_print(const struct cgm_run *r)
{
	const struct cgm_system *s = r->system;
	const struct cgm_stats *st = &r->st;
	cycle_t end = r->end;
	double ns = 1e6 / (double)cgm_system_khz(s);
	uint64_t links = st->net.links * (end ? end : 1);

	printf("time  %.1f ns, %" PRIu64 " cycles of the memory system\n",
	       (double)end * ns, end / cgm_system_cycle(s));
	cgm_print_port("CPU", &st->cpu, ns);
	cgm_print_port("GPU", &st->gpu, ns);
	puts("caches");
	cgm_print_hits("L1I", st->l1i.hits, st->l1i.accesses);
	cgm_print_hits("L1D, reads", st->l1d.hits,
		       st->l1d.accesses - st->l1d.passed);
	cgm_print_hits("L2", st->l2.hits, st->l2.accesses);
	cgm_print_hits("vector, reads", st->vector.hits,
		       st->vector.accesses - st->vector.passed);
	cgm_print_hits("scalar, reads", st->scalar.hits,
		       st->scalar.accesses - st->scalar.passed);
	cgm_print_hits("GPU's L2", st->gpu_l2.hits, st->gpu_l2.accesses);
	cgm_print_hits("L3", st->l3.hits, st->l3.requests);
	printf("coherence  %" PRIu64 " forwards, %" PRIu64 " upgrades, %" PRIu64
	       " invalidations, %" PRIu64 " recalls\n",
	       st->l3.forwards, st->l3.upgrades,
	       st->l2.invalidations + st->gpu_l2.invalidations, st->l3.recalls);
	printf("links  %" PRIu64 " requests, %" PRIu64 " coherence, %" PRIu64
	       " replies, %" PRIu64 " bytes; busy %.2f%%, the busiest "
	       "%.2f%%\n",
	       st->net.requests, st->net.coherence, st->net.replies,
	       st->net.bytes,
	       100.0 * (double)st->net.busy_ticks / (double)links,
	       100.0 * (double)st->net.busiest / (double)(end ? end : 1));
	printf("memory  %" PRIu64 " reads, %" PRIu64 " writes, %" PRIu64
	       " of them to open rows\n",
	       st->memory.reads, st->memory.writes, st->memory.row_hits);
}
