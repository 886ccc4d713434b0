// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IRN's responder against the receiver trace of the authors' simulator (50 queue pairs of an incast at 40 Gb/s): every
 * response, packet for packet. The trace has no licence and is not part of the repository: LOSSLAB_IRN_TRACE names
 * a file with it (docs/reference.md 9). Not compared: its column of completions, which the responder does not count.
 */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "agent/recovery/irn_params.h"

#define QPS 64     /* more than the 50 of the trace */
#define WINDOW 111 /* the authors' cap */

struct row {
	u32 qp, opcode, psn, syndrome, expected, sack, msn, cqes;
};

static FILE *open_trace(void)
{
	const char *path = getenv("LOSSLAB_IRN_TRACE");
	FILE *in;

	if (!path) {
		print_message("LOSSLAB_IRN_TRACE names no trace\n");
		skip();
	}
	in = fopen(path, "r");
	if (!in)
		fail_msg("LOSSLAB_IRN_TRACE=%s: cannot be opened", path);
	return in;
}

static int read_row(FILE *in, struct row *r)
{
	return fscanf(in, "%u,%u,%u,%u,%u,%u,%u,%u\n", &r->qp, &r->opcode, &r->psn, &r->syndrome, &r->expected,
		      &r->sack, &r->msn, &r->cqes) == 8;
}

static void skip_header(FILE *in)
{
	char line[128];

	rewind(in);
	assert_non_null(fgets(line, sizeof(line), in));
	assert_string_equal(line, "qp,opcode,psn,syndrome,expected_psn,sack_psn,msn,cqes\n");
}

static void open_responders(FILE *in, struct rqp *r)
{
	struct row row;

	memset(r, 0, QPS * sizeof(*r));
	skip_header(in);
	while (read_row(in, &row)) {
		assert_true(row.qp < QPS);
		if (row.psn >= r[row.qp].n_packets)
			r[row.qp].n_packets = row.psn + 1;
	}
	assert_true(feof(in));
	for (u32 q = 0; q < QPS; q++) {
		assert_int_equal(bitmap_init(&r[q].got, WINDOW), 0);
		assert_int_equal(bitmap_init(&r[q].last, WINDOW), 0);
	}
}

/* SEND and WRITE last or only, and READ request (REFERENCE 1.3). */
static bool ends_message(u32 opcode)
{
	return (opcode >= 2 && opcode <= 5) || (opcode >= 8 && opcode <= 12);
}

static void receive__as_published(void **state)
{
	struct rqp r[QPS];
	FILE *in = open_trace();
	u32 rows = 0, nacks = 0, duplicates = 0, complete = 0;
	struct row row;

	open_responders(in, r);
	skip_header(in);
	while (read_row(in, &row)) {
		struct data_event d = { .n = row.psn, .last = ends_message(row.opcode) };
		struct rqp *q = &r[row.qp];
		struct reply reply;

		duplicates += row.psn < q->expected;
		recovery_irn.receive(q, &d, &reply);
		rows++;
		assert_int_equal(reply.kind, row.syndrome ? REPLY_NAK : REPLY_ACK);
		assert_int_equal(q->expected, row.expected);
		assert_int_equal(q->msn, row.msn);
		assert_int_equal(reply.psn, row.syndrome ? row.expected : row.expected - 1);
		if (row.syndrome)
			assert_int_equal(reply.sack, row.sack);
		nacks += row.syndrome;
	}
	assert_true(feof(in));
	for (u32 q = 0; q < QPS; q++) {
		complete += r[q].n_packets && r[q].expected == r[q].n_packets && r[q].received == r[q].n_packets;
		bitmap_free(&r[q].got);
		bitmap_free(&r[q].last);
	}
	fclose(in);
	print_message("%u packets, %u NACKs, %u duplicates, %u queue pairs complete\n", rows, nacks, duplicates,
		      complete);
	assert_int_equal(rows, 140361);
	assert_int_equal(nacks, 83322);
	assert_int_equal(complete, 50);
	assert_int_equal(duplicates, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(receive__as_published),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
