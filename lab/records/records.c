// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV files, totals and digest of a run. Integers only, so every machine writes the same bytes. */
#include <string.h>

#include <openssl/evp.h>

#include "agent/recovery/recovery.h"
#include "lab/text.h"
#include "lab/workload/fixmath.h"
#include "lab/records/records_impl.h"

#define SUM_SCALE 1000000000000ULL /* the average's summands carry twelve decimals */

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

bool is_melo(const struct run_cfg *c)
{
	return recovery_find(c->transport)->host_stats;
}

void records_flows_csv(const struct run_result *r, FILE *out)
{
	columns_header(&flow_columns, r, out);
	for (u32 i = 0; i < r->n_flows; i++)
		columns_row(&flow_columns, &r->flows[i], r, out);
}

void records_ports_csv(const struct run_result *r, FILE *out)
{
	columns_header(&port_columns, r, out);
	for (u32 i = 0; i < r->n_ports; i++)
		columns_row(&port_columns, &r->ports[i], r, out);
}

void records_hosts_csv(const struct run_result *r, FILE *out)
{
	columns_header(&host_columns, r, out);
	for (u32 i = 0; i < r->n_hosts; i++)
		columns_row(&host_columns, &r->hosts[i], r, out);
}

static ssize_t digest_write(void *cookie, const char *buf, size_t len)
{
	return EVP_DigestUpdate(cookie, buf, len) == 1 ? (ssize_t)len : 0;
}

/* SHA-256 of flows.csv, without keeping its text: 64 hex digits, or "" if libcrypto fails. */
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

		columns_add(&flow_columns, &t->flows, f, r);
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

void records_totals(const struct run_result *r, struct run_totals *t)
{
	memset(t, 0, sizeof(*t));
	digest_flows(r, t->digest);
	sum_flows(r, t);
	for (u32 i = 0; i < r->n_ports; i++)
		columns_add(&port_columns, &t->ports, &r->ports[i], r);
	for (u32 i = 0; i < r->n_hosts; i++)
		columns_add(&host_columns, &t->hosts, &r->hosts[i], r);
	t->drop_ppm = ratio(r->dropped, r->sent, 1000000);
	t->packet_hops = r->hops_data + r->hops_ack;
}
