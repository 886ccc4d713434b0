// SPDX-License-Identifier: GPL-2.0
/* The records' rows, their sums and their digest. Integers only, so that every machine writes the same bytes. */
#include <errno.h>
#include <string.h>

#include <openssl/evp.h>

#include "agent/recovery/melo_pool.h"
#include "agent/recovery/recovery.h"
#include "lab/text.h"
#include "lab/workload/fixmath.h"
#include "lab/records/records_impl.h"

#define SLOWDOWN_SCALE 1000000ULL  /* flows.csv gives slowdowns with six decimals */
#define SUM_SCALE 1000000000000ULL /* the average's summands carry twelve */

const char *const drop_names[DROP_REASONS] = {
	[DROP_BUFFER] = "buffer", [DROP_LOSS] = "loss",   [DROP_NO_ROUTE] = "no_route",
	[DROP_LINK] = "link",     [DROP_FAULT] = "fault", [DROP_WATCHDOG] = "watchdog",
};

const char *const mark_names[MARK_CAUSES] = {
	[MARK_RED] = "red",
	[MARK_STEP] = "step",
	[MARK_INPUT] = "input",
	[MARK_ROOT] = "root",
};

const char *const qp_error_names[QP_ERRORS] = {
	[QP_OK] = "",
	[QP_RETRY] = "retry",
	[QP_RNR] = "rnr",
	[QP_ACCESS] = "access",
};

struct decimal decimal(u64 v, u32 places)
{
	struct decimal d;
	u64 unit = 1;

	for (u32 i = 0; i < places; i++)
		unit *= 10;
	if (places)
		snprintf(d.s, sizeof(d.s), "%llu.%0*llu", v / unit, (int)places, v % unit);
	else
		snprintf(d.s, sizeof(d.s), "%llu", v);
	return d;
}

u64 ratio(u64 a, u64 b, u64 scale)
{
	u128 q;

	if (!b)
		return 0;
	q = ((u128)a * scale * 2 + b) / ((u128)b * 2);
	return q > ~0ULL ? ~0ULL : (u64)q;
}

const char *engine_name(const struct run_cfg *c)
{
	return c->engine == ENGINE_TWIN ? "twin" : "kernel";
}

/* Whether flows are of more than one traffic class. */
static bool several_classes(const struct run_result *r)
{
	for (u32 i = 1; i < r->n_flows; i++)
		if (r->flows[i].flow.class != r->flows[0].flow.class)
			return true;
	return false;
}

void records_flows_csv(const struct run_result *r, FILE *out)
{
	bool classes = several_classes(r); /* a column that says nothing would change digests */

	fputs("id,src,dst,bytes,start_ns,fct_ns,ideal_ns,slowdown,packets_sent,retransmitted,timeouts,nacks,"
	      "cnps,rnr_naks,received_bytes,error,completed",
	      out);
	fputs(classes ? ",class\n" : "\n", out);
	for (u32 i = 0; i < r->n_flows; i++) {
		const struct flow_record *f = &r->flows[i];

		fprintf(out, "%u,%u,%u,%llu,%s,", f->flow.id, f->flow.src, f->flow.dst, f->flow.bytes,
			decimal(f->flow.start_ps, 3).s);
		if (f->completed)
			fputs(decimal(f->fct_ps, 3).s, out);
		fprintf(out, ",%s,", decimal(f->ideal_ps, 3).s);
		if (f->completed)
			fputs(decimal(ratio(f->fct_ps, f->ideal_ps, SLOWDOWN_SCALE), 6).s, out);
		fprintf(out, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%s,%d", f->packets_sent, f->retransmitted,
			f->timeouts, f->nacks, f->cnps, f->rnr_naks, f->received_bytes, qp_error_names[f->error],
			f->completed);
		if (classes)
			fprintf(out, ",%u", f->flow.class);
		fputc('\n', out);
	}
}

static void put_class_names(FILE *out)
{
	static const char *const columns[] = { "pause_tx", "pause_rx", "paused_ns" };

	for (u32 i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		for (u32 c = 0; c < CFG_CLASSES; c++)
			fprintf(out, ",%s_%u", columns[i], c);
}

static void put_classes(const struct port_record *p, FILE *out)
{
	for (u32 c = 0; c < CFG_CLASSES; c++)
		fprintf(out, ",%llu", p->class_pause_tx[c]);
	for (u32 c = 0; c < CFG_CLASSES; c++)
		fprintf(out, ",%llu", p->class_pause_rx[c]);
	for (u32 c = 0; c < CFG_CLASSES; c++)
		fprintf(out, ",%s", decimal(p->class_paused_ps[c], 3).s);
}

void records_ports_csv(const struct run_result *r, FILE *out)
{
	fputs("node,port,peer,peer_port,rx_frames,rx_bytes,tx_frames,tx_bytes", out);
	for (u32 d = 0; d < DROP_REASONS; d++)
		fprintf(out, ",drop_%s", drop_names[d]);
	fputs(",ecn_marks,pause_tx,pause_rx,resume_tx,resume_rx,paused_ns,max_queue_bytes,max_buffer_bytes,"
	      "corrupted,watchdog",
	      out);
	for (u32 m = 0; m < MARK_CAUSES; m++)
		fprintf(out, ",mark_%s", mark_names[m]);
	put_class_names(out);
	fputc('\n', out);
	for (u32 i = 0; i < r->n_ports; i++) {
		const struct port_record *p = &r->ports[i];

		fprintf(out, "%s,%u,%s,%u,%llu,%llu,%llu,%llu", p->node, p->port, p->peer, p->peer_port, p->rx_frames,
			p->rx_bytes, p->tx_frames, p->tx_bytes);
		for (u32 d = 0; d < DROP_REASONS; d++)
			fprintf(out, ",%llu", p->drops[d]);
		fprintf(out, ",%llu,%llu,%llu,%llu,%llu,%s,%llu,%llu,%llu,%llu", p->ecn_marks, p->pause_tx, p->pause_rx,
			p->resume_tx, p->resume_rx, decimal(p->paused_ps, 3).s, p->max_queue, p->max_buffer,
			p->corrupted, p->watchdog);
		for (u32 m = 0; m < MARK_CAUSES; m++)
			fprintf(out, ",%llu", p->marks[m]);
		put_classes(p, out);
		fputc('\n', out);
	}
}

u64 copy_cpu_ppm(const struct run_result *r, u64 bytes)
{
	return r->virtual_ps ? melo_copy_cpu_ppm(bytes, r->virtual_ps) : 0;
}

bool is_melo(const struct run_cfg *c)
{
	return recovery_find(c->transport)->host_stats;
}

void records_hosts_csv(const struct run_result *r, FILE *out)
{
	fputs("host,rx_frames,tx_frames,tx_data,rx_data,acks_tx,naks_tx,cnps_tx,cnps_rx,discarded,pool_rx_peak_bits,"
	      "pool_tx_peak_bits,pool_rx_bits,pool_tx_bits,copied_packets,copied_bytes,copy_cpu,drop_middle,drop_pool,"
	      "drop_order,swaps,forgotten\n",
	      out);
	for (u32 i = 0; i < r->n_hosts; i++) {
		const struct host_record *h = &r->hosts[i];

		fprintf(out, "%s,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,%llu,", h->host, h->rx_frames, h->tx_frames,
			h->tx_data, h->rx_data, h->acks_tx, h->naks_tx, h->cnps_tx, h->cnps_rx, h->discarded);
		fprintf(out, "%llu,%llu,%llu,%llu,%llu,%llu,%s,", h->pool_rx_peak_bits, h->pool_tx_peak_bits,
			h->pool_rx_bits, h->pool_tx_bits, h->copied_packets, h->copied_bytes,
			decimal(copy_cpu_ppm(r, h->copied_bytes), 6).s);
		fprintf(out, "%llu,%llu,%llu,%llu,%llu\n", h->drop_middle, h->drop_pool, h->drop_order, h->swaps,
			h->forgotten);
	}
}

static ssize_t digest_write(void *cookie, const char *buf, size_t len)
{
	return EVP_DigestUpdate(cookie, buf, len) == 1 ? (ssize_t)len : 0;
}

/* SHA-256 of flows.csv, without holding its text: 64 hex digits, or "" if libcrypto has none to give. */
static void digest_flows(const struct run_result *r, char hex[65])
{
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned int len = 0;
	FILE *out = NULL;

	hex[0] = '\0';
	if (md && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1)
		out = fopencookie(md, "w", (cookie_io_functions_t){ .write = digest_write });
	if (out) {
		records_flows_csv(r, out);
		if (!fclose(out) && EVP_DigestFinal_ex(md, sum, &len) == 1)
			for (u32 i = 0; i < len; i++)
				snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	}
	EVP_MD_CTX_free(md);
}

static u64 count_up_to(const struct run_result *r, u64 fct_ps)
{
	u64 n = 0;

	for (u32 i = 0; i < r->n_flows; i++)
		n += r->flows[i].completed && r->flows[i].fct_ps <= fct_ps;
	return n;
}

/*
 * Nearest rank: the smallest completion time that at least 99 of 100 completed flows do not exceed. Found by
 * halving the range of times: at most 64 passes over the flows, and no memory to run out of.
 */
static u64 p99(const struct run_result *r, u32 completed)
{
	u64 rank = ((u64)completed * 99 + 99) / 100, lo = 0, hi = 0;

	for (u32 i = 0; i < r->n_flows; i++)
		if (r->flows[i].completed && r->flows[i].fct_ps > hi)
			hi = r->flows[i].fct_ps;
	while (lo < hi) {
		u64 mid = lo + (hi - lo) / 2;

		if (count_up_to(r, mid) >= rank)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void sum_flows(const struct run_result *r, struct run_totals *t)
{
	u128 slowdown = 0, fct = 0;

	for (u32 i = 0; i < r->n_flows; i++) {
		const struct flow_record *f = &r->flows[i];

		t->packets_sent += f->packets_sent;
		t->retransmitted += f->retransmitted;
		t->timeouts += f->timeouts;
		t->nacks += f->nacks;
		t->cnps += f->cnps;
		t->rnr_naks += f->rnr_naks;
		t->qp_errors += f->error != QP_OK;
		if (!f->completed)
			continue;
		t->completed++;
		fct += f->fct_ps;
		if (f->ideal_ps)
			slowdown += ((u128)f->fct_ps * SUM_SCALE + f->ideal_ps / 2) / f->ideal_ps;
	}
	if (t->completed) {
		u128 milli = (u128)t->completed * (SUM_SCALE / 1000); /* sum -> thousandths of the mean */

		t->avg_slowdown_milli = (u64)((slowdown + milli / 2) / milli);
		t->avg_fct_ps = (u64)((fct + t->completed / 2) / t->completed);
		t->p99_fct_ps = p99(r, t->completed);
	}
}

static void sum_ports(const struct run_result *r, struct run_totals *t)
{
	for (u32 i = 0; i < r->n_ports; i++) {
		const struct port_record *p = &r->ports[i];

		for (u32 d = 0; d < DROP_REASONS; d++)
			t->drops[d] += p->drops[d];
		for (u32 m = 0; m < MARK_CAUSES; m++)
			t->marks[m] += p->marks[m];
		t->ecn_marks += p->ecn_marks;
		t->pause_frames += p->pause_tx;
		t->resume_frames += p->resume_tx;
	}
}

static void sum_hosts(const struct run_result *r, struct run_totals *t)
{
	struct host_record *sum = &t->hosts;

	for (u32 i = 0; i < r->n_hosts; i++) {
		const struct host_record *h = &r->hosts[i];

		sum->rx_frames += h->rx_frames;
		sum->tx_frames += h->tx_frames;
		sum->tx_data += h->tx_data;
		sum->rx_data += h->rx_data;
		sum->acks_tx += h->acks_tx;
		sum->naks_tx += h->naks_tx;
		sum->cnps_tx += h->cnps_tx;
		sum->cnps_rx += h->cnps_rx;
		sum->discarded += h->discarded;
		sum->pool_rx_peak_bits = max64(sum->pool_rx_peak_bits, h->pool_rx_peak_bits);
		sum->pool_tx_peak_bits = max64(sum->pool_tx_peak_bits, h->pool_tx_peak_bits);
		sum->pool_rx_bits += h->pool_rx_bits;
		sum->pool_tx_bits += h->pool_tx_bits;
		sum->copied_packets += h->copied_packets;
		sum->copied_bytes += h->copied_bytes;
		sum->drop_middle += h->drop_middle;
		sum->drop_pool += h->drop_pool;
		sum->drop_order += h->drop_order;
		sum->swaps += h->swaps;
		sum->forgotten += h->forgotten;
		t->copy_cpu_ppm = max64(t->copy_cpu_ppm, copy_cpu_ppm(r, h->copied_bytes));
	}
}

void records_totals(const struct run_result *r, struct run_totals *t)
{
	memset(t, 0, sizeof(*t));
	digest_flows(r, t->digest);
	sum_flows(r, t);
	sum_ports(r, t);
	sum_hosts(r, t);
	t->drop_ppm = ratio(r->dropped, r->sent, 1000000);
	t->packet_hops = r->crossings_data + r->crossings_ack;
}

int records_check(const struct run_result *r, const struct run_totals *t, struct err *err)
{
	u64 known = 0;

	if (r->sent != r->delivered + r->dropped + r->queued)
		return err_set(err, -EINVAL, "frames: %llu sent, but %llu delivered + %llu dropped + %llu queued",
			       r->sent, r->delivered, r->dropped, r->queued);
	for (u32 d = 0; d < DROP_REASONS; d++)
		known += t->drops[d];
	if (known != r->dropped)
		return err_set(err, -EINVAL, "drops: %llu in all, but the ports' reasons add up to %llu", r->dropped,
			       known);
	return 0;
}
