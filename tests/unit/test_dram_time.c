/*
 * Every rule between commands, by hand. One cycle is one clock. What is pushed
 * in cycle t is seen at clock t + 1.
 *
 * HBM2: CL 18, CWL 7, burst 2, RCD_RD 12, RCD_WR 6, RAS 28, RP 14, RC 42,
 *       RTP 5, WR 14, CCD 2/3, RRD 4/6, FAW 16, WTR 4/9, TURN 7, RFC 220,
 *       REFI 3900. Banks 0 and 2 are in other groups of one pseudo channel,
 *       0 and 8 in the same group, 0 and 1 in other pseudo channels.
 * DDR4: CL 17, CWL 12, burst 4, RCD 17, RAS 39, RP 17, RC 56, RTP 9, WR 18,
 *       CCD 4/6, RRD 4/6, FAW 26, WTR 3/9, TURN 2, RFC 420, REFI 9360.
 *       Banks 0 and 1 are in other groups, 0 and 4 in the same. One bus.
 */
#include "test.h"

#include "dram_rig.h"

enum { HBM2_SAME_GROUP = 8, HBM2_OTHER_GROUP = 2, HBM2_OTHER_PSEUDO = 1 };
enum { DDR4_SAME_GROUP = 4, DDR4_OTHER_GROUP = 1 };

static struct rig r;

static void start(enum dram_std standard)
{
	struct dram_config c = rig_config(standard);

	c.drain_low = 0;
	rig_init(&r, &c);
}

/* Opens row 0 of two banks and waits until no rule delays anything: cycle
 * 1000. */
static void warm(enum dram_std standard, uint32_t other)
{
	start(standard);
	rig_read(&r, 0, 0);
	rig_read(&r, other, 0);
	rig_until(&r, 1000);
	EQ(2, r.count);
}

static void finish(void)
{
	rig_drain(&r);
	rig_laws(&r);
	rig_free(&r);
}

/* Pushes both in the current cycle; returns the cycle in which the second is
 * done. */
static cycle_t second_read(uint32_t bank, uint64_t row)
{
	uint64_t tag;

	rig_read(&r, 0, 0);
	tag = rig_read(&r, bank, row);
	finish();
	return r.at[tag];
}

static cycle_t second_write(uint32_t bank, uint64_t row)
{
	uint64_t tag;

	rig_write(&r, 0, 0);
	tag = rig_write(&r, bank, row);
	finish();
	return r.at[tag];
}

static cycle_t read_after_write(uint32_t bank)
{
	uint64_t tag;

	rig_write(&r, 0, 0);
	rig_until(&r, r.now + 1);
	tag = rig_read(&r, bank, 0);
	finish();
	return r.at[tag];
}

static cycle_t write_after_read(uint32_t bank)
{
	uint64_t tag;

	rig_read(&r, 0, 0);
	rig_until(&r, r.now + 1);
	tag = rig_write(&r, bank, 0);
	finish();
	return r.at[tag];
}

TEST(dram_time, hbm2_reads_and_writes_a_closed_bank)
{
	start(DRAM_STD_HBM2);
	rig_read(&r, 0, 5);
	finish();
	EQ(1 + 12 + 18 + 2, r.at[0]); /* ACT, RCD_RD, CL, burst */

	start(DRAM_STD_HBM2);
	rig_write(&r, 0, 5);
	finish();
	EQ(1 + 6 + 7 + 2, r.at[0]); /* ACT, RCD_WR, CWL, burst */
}

TEST(dram_time, hbm2_spaces_columns_by_ccd)
{
	warm(DRAM_STD_HBM2, HBM2_SAME_GROUP);
	EQ(1001 + 3 + 18 + 2, second_read(0, 0)); /* CCD_L */
	warm(DRAM_STD_HBM2, HBM2_SAME_GROUP);
	EQ(1001 + 3 + 18 + 2, second_read(HBM2_SAME_GROUP, 0)); /* CCD_L */
	warm(DRAM_STD_HBM2, HBM2_OTHER_GROUP);
	EQ(1001 + 2 + 18 + 2, second_read(HBM2_OTHER_GROUP, 0)); /* CCD_S */
	warm(DRAM_STD_HBM2, HBM2_OTHER_PSEUDO);
	EQ(1001 + 1 + 18 + 2, second_read(HBM2_OTHER_PSEUDO, 0)); /* bus */

	warm(DRAM_STD_HBM2, HBM2_SAME_GROUP);
	EQ(1001 + 3 + 7 + 2, second_write(HBM2_SAME_GROUP, 0));
	warm(DRAM_STD_HBM2, HBM2_OTHER_GROUP);
	EQ(1001 + 2 + 7 + 2, second_write(HBM2_OTHER_GROUP, 0));
}

TEST(dram_time, hbm2_spaces_activates_by_rrd)
{
	start(DRAM_STD_HBM2);
	EQ(1 + 6 + 12 + 18 + 2, second_read(HBM2_SAME_GROUP, 0)); /* RRD_L */
	start(DRAM_STD_HBM2);
	EQ(1 + 4 + 12 + 18 + 2, second_read(HBM2_OTHER_GROUP, 0)); /* RRD_S */
	start(DRAM_STD_HBM2);
	EQ(1 + 1 + 12 + 18 + 2, second_read(HBM2_OTHER_PSEUDO, 0)); /* bus */
}

TEST(dram_time, hbm2_opens_four_rows_in_a_window)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);

	/* Four RRD_S make up the 16 of FAW: only a longer FAW shows. */
	c.clocks[DRAM_T_FAW] = 30;
	rig_init(&r, &c);
	for (uint32_t i = 0; i < 5; i++)
		rig_read(&r, 2 * i, 0); /* groups 0, 2, 4, 6, 0 */
	rig_read(&r, 1, 0);             /* the other pseudo channel */
	finish();
	EQ(1 + 3 * 4 + 12 + 18 + 2, r.at[3]); /* ACT at 1, 5, 9, 13 */
	EQ(1 + 30 + 12 + 18 + 2, r.at[4]);    /* FAW */
	EQ(1 + 1 + 12 + 18 + 2, r.at[5]);
}

TEST(dram_time, hbm2_closes_a_row_after_ras_and_rtp)
{
	start(DRAM_STD_HBM2);
	/* ACT 1, RD 13, PRE at RAS 29, ACT at RP 43, RD at RCD 55 */
	EQ(1 + 28 + 14 + 12 + 18 + 2, second_read(0, 1));
	warm(DRAM_STD_HBM2, HBM2_OTHER_GROUP);
	/* RD 1001, PRE at RTP, ACT at RP, RD at RCD */
	EQ(1001 + 5 + 14 + 12 + 18 + 2, second_read(0, 1));
}

TEST(dram_time, hbm2_closes_a_row_after_write_recovery)
{
	start(DRAM_STD_HBM2);
	/* ACT 1, WR 7, PRE after CWL, burst, WR; ACT at RP, WR at RCD_WR */
	EQ(1 + 6 + (7 + 2 + 14) + 14 + 6 + 7 + 2, second_write(0, 1));
}

TEST(dram_time, hbm2_turns_the_bus)
{
	/* WR 1001, its data, WTR, RD */
	warm(DRAM_STD_HBM2, HBM2_SAME_GROUP);
	EQ(1001 + (7 + 2 + 9) + 18 + 2, read_after_write(HBM2_SAME_GROUP));
	warm(DRAM_STD_HBM2, HBM2_OTHER_GROUP);
	EQ(1001 + (7 + 2 + 4) + 18 + 2, read_after_write(HBM2_OTHER_GROUP));
	warm(DRAM_STD_HBM2, HBM2_OTHER_PSEUDO);
	EQ(1001 + 1 + 18 + 2, read_after_write(HBM2_OTHER_PSEUDO));
	/* RD 1001, its data, TURN, data of WR */
	warm(DRAM_STD_HBM2, HBM2_OTHER_GROUP);
	EQ(1001 + (18 + 2 + 7) + 2, write_after_read(HBM2_OTHER_GROUP));
	warm(DRAM_STD_HBM2, HBM2_OTHER_PSEUDO);
	EQ(1001 + 1 + 7 + 2, write_after_read(HBM2_OTHER_PSEUDO));
}

TEST(dram_time, pseudo_channels_finish_in_the_order_of_time)
{
	warm(DRAM_STD_HBM2, HBM2_OTHER_PSEUDO);
	rig_read(&r, 0, 0); /* done at 1021 */
	rig_until(&r, 1001);
	rig_write(&r, HBM2_OTHER_PSEUDO, 0); /* done at 1011 */
	finish();
	EQ(3, r.done[2].tag);
	EQ(2, r.done[3].tag);
}

TEST(dram_time, hbm2_refreshes)
{
	struct dram_config c = dram_defaults(DRAM_STD_HBM2);

	rig_init(&r, &c);
	rig_until(&r, 3899);
	rig_read(&r, 0, 0);
	rig_until(&r, 7700);
	/* REF 3900, RFC, ACT, RCD, CL, burst */
	EQ(3900 + 220 + 12 + 18 + 2, r.at[0]);
	/* The row is open: PRE 7800, RP, REF, RFC */
	rig_until(&r, 7799);
	rig_read(&r, 0, 0);
	finish();
	EQ(7800 + 14 + 220 + 12 + 18 + 2, r.at[1]);
}

TEST(dram_time, ddr4_reads_and_writes_a_closed_bank)
{
	start(DRAM_STD_DDR4);
	rig_read(&r, 3, 5);
	finish();
	EQ(1 + 17 + 17 + 4, r.at[0]);

	start(DRAM_STD_DDR4);
	rig_write(&r, 3, 5);
	finish();
	EQ(1 + 17 + 12 + 4, r.at[0]);
}

TEST(dram_time, ddr4_spaces_columns_by_ccd)
{
	warm(DRAM_STD_DDR4, DDR4_SAME_GROUP);
	EQ(1001 + 6 + 17 + 4, second_read(DDR4_SAME_GROUP, 0)); /* CCD_L */
	warm(DRAM_STD_DDR4, DDR4_OTHER_GROUP);
	EQ(1001 + 4 + 17 + 4, second_read(DDR4_OTHER_GROUP, 0)); /* CCD_S */
	warm(DRAM_STD_DDR4, DDR4_SAME_GROUP);
	EQ(1001 + 6 + 12 + 4, second_write(DDR4_SAME_GROUP, 0));
	warm(DRAM_STD_DDR4, DDR4_OTHER_GROUP);
	EQ(1001 + 4 + 12 + 4, second_write(DDR4_OTHER_GROUP, 0));
}

TEST(dram_time, ddr4_spaces_activates_by_rrd_and_faw)
{
	start(DRAM_STD_DDR4);
	EQ(1 + 6 + 17 + 17 + 4, second_read(DDR4_SAME_GROUP, 0)); /* RRD_L */
	start(DRAM_STD_DDR4);
	EQ(1 + 4 + 17 + 17 + 4, second_read(DDR4_OTHER_GROUP, 0)); /* RRD_S */
	start(DRAM_STD_DDR4);
	for (uint32_t i = 0; i < 5; i++)
		rig_read(&r, i, 0);
	finish();
	EQ(1 + 3 * 4 + 17 + 17 + 4, r.at[3]);
	EQ(1 + 26 + 17 + 17 + 4, r.at[4]); /* FAW */
}

TEST(dram_time, ddr4_closes_a_row_after_ras_rtp_and_write_recovery)
{
	start(DRAM_STD_DDR4);
	/* ACT 1, PRE at RAS 40, ACT at RP 57, RD at RCD 74 */
	EQ(1 + 39 + 17 + 17 + 17 + 4, second_read(0, 1));
	warm(DRAM_STD_DDR4, DDR4_OTHER_GROUP);
	/* RD 1001, PRE at RTP, ACT at RP, RD at RCD */
	EQ(1001 + 9 + 17 + 17 + 17 + 4, second_read(0, 1));
	start(DRAM_STD_DDR4);
	/* ACT 1, WR 18, PRE after CWL, burst, WR; ACT at RP, WR at RCD */
	EQ(1 + 17 + (12 + 4 + 18) + 17 + 17 + 12 + 4, second_write(0, 1));
}

TEST(dram_time, ddr4_turns_the_bus)
{
	warm(DRAM_STD_DDR4, DDR4_SAME_GROUP);
	EQ(1001 + (12 + 4 + 9) + 17 + 4, read_after_write(DDR4_SAME_GROUP));
	warm(DRAM_STD_DDR4, DDR4_OTHER_GROUP);
	EQ(1001 + (12 + 4 + 3) + 17 + 4, read_after_write(DDR4_OTHER_GROUP));
	warm(DRAM_STD_DDR4, DDR4_OTHER_GROUP);
	EQ(1001 + (17 + 4 + 2) + 4, write_after_read(DDR4_OTHER_GROUP));
}

TEST(dram_time, ddr4_refreshes)
{
	struct dram_config c = dram_defaults(DRAM_STD_DDR4);

	rig_init(&r, &c);
	rig_read(&r, 0, 0);
	rig_until(&r, 9359);
	rig_read(&r, 0, 0);
	finish();
	/* PRE 9360, RP, REF, RFC, ACT, RCD, CL, burst */
	EQ(9360 + 17 + 420 + 17 + 17 + 4, r.at[1]);
}

TEST(dram_time, hbm3_keeps_rc_where_ras_and_rp_are_shorter)
{
	start(DRAM_STD_HBM3);
	/* ACT 1, PRE at RAS 46, ACT at RC 73 (RP: 72), RD at RCD_RD 31 */
	EQ(1 + 72 + 31 + 20 + 2, second_read(0, 1));
}

TEST(dram_time, a_single_bus_carries_one_command_a_clock)
{
	/* GDDR3 without groups: row 0 of banks 0 and 1 open, 2 closed. The
	 * ACT for bank 2 waits while RD 1001 and RD 1003 have the bus. */
	warm(DRAM_STD_GDDR3, 1);
	rig_read(&r, 0, 0);
	rig_read(&r, 2, 0);
	finish();
	EQ(1001 + 11 + 2, r.at[2]);
	EQ(1002 + 12 + 11 + 2, r.at[3]);
}

TEST(dram_time, a_request_of_several_bursts_is_done_with_its_last)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);

	rig_init(&r, &c);
	OK(rig_push(&r, (struct dram_request){ .bytes = 128 }));
	finish();
	/* RD 13, then three more at CCD_L */
	EQ(1 + 12 + 3 * 3 + 18 + 2, r.at[0]);
	EQ(4 * 2, r.st.bus_clocks);
	EQ(128, r.st.bytes);

	/* 64 bytes from byte 32 touch two bursts of 64. */
	c = rig_config(DRAM_STD_DDR4);
	rig_init(&r, &c);
	OK(rig_push(&r, (struct dram_request){ .column = 32, .bytes = 64 }));
	finish();
	EQ(1 + 17 + 6 + 17 + 4, r.at[0]);
	EQ(2 * 4, r.st.bus_clocks);
}

TEST(dram_time, cycles_are_clocks_times_the_ratio_rounded_up)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);

	c.core_khz = 1500000;
	rig_init(&r, &c);
	rig_read(&r, 0, 0);
	finish();
	EQ((33 * 3 + 1) / 2, r.at[0]);

	/* Pushed in cycle 2, at clock 2 * 2 / 3 = 1.3: seen at clock 2. */
	rig_init(&r, &c);
	rig_until(&r, 2);
	rig_read(&r, 0, 0);
	finish();
	EQ((34 * 3 + 1) / 2, r.at[0]);

	/* A cycle of a slow core has three clocks. */
	c.core_khz = 333333;
	c.dram_khz = 999999;
	rig_init(&r, &c);
	rig_read(&r, 0, 0);
	finish();
	EQ(33 / 3, r.at[0]);
}

TEST(dram_time, a_faster_clock_keeps_the_nanoseconds)
{
	struct dram_config c = rig_config(DRAM_STD_HBM2);

	c.dram_khz = c.core_khz = 1200000;
	rig_init(&r, &c);
	EQ(15, dram_config(r.m)->clocks[DRAM_T_RCD_RD]); /* 14.4 */
	EQ(22, dram_config(r.m)->clocks[DRAM_T_CL]);     /* 21.6 */
	EQ(2, dram_config(r.m)->clocks[DRAM_T_CCD_S]);   /* in clocks */
	EQ(4680, dram_config(r.m)->clocks[DRAM_T_REFI]);
	rig_read(&r, 0, 0);
	finish();
	EQ(1 + 15 + 22 + 2, r.at[0]);
}
