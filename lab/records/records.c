// SPDX-License-Identifier: GPL-2.0-or-later
/* CSV files, totals and digest of a run. Integers only, so every machine writes the same bytes. */
#include <errno.h>
#include <string.h>

#include <openssl/evp.h>

#include "agent/recovery/recovery.h"
#include "lab/text.h"
#include "lab/records/records_impl.h"

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
		slowdown += slowdown_term(f, f->fct_ps);
	}
	t->avg_slowdown_milli = slowdown_mean_milli(slowdown, t->completed);
	if (t->completed)
		t->avg_fct_ps = (u64)((fct + t->completed / 2) / t->completed);
}

int records_totals(const struct run_result *r, struct run_totals *t)
{
	memset(t, 0, sizeof(*t));
	digest_flows(r, t->digest);
	sum_flows(r, t);
	for (u32 i = 0; i < r->n_ports; i++)
		columns_add(&port_columns, &t->ports, &r->ports[i], r);
	for (u32 i = 0; i < r->n_hosts; i++)
		columns_add(&host_columns, &t->hosts, &r->hosts[i], r);
	t->drop_ppm = ratio(r->dropped_data, r->sent_data, 1000000);
	t->drop_other_ppm = ratio(r->dropped - r->dropped_data, r->sent - r->sent_data, 1000000);
	t->packet_hops = r->hops_data + r->hops_ack;
	return flow_stats(r, &t->stats);
}

int records_check(const struct run_result *r, const struct run_totals *t, struct err *err)
{
	u64 known = 0, data = 0;

	if (r->sent != r->delivered + r->dropped + r->queued)
		return err_set(err, -EINVAL, "frames: %llu sent, but %llu delivered + %llu dropped + %llu queued",
			       r->sent, r->delivered, r->dropped, r->queued);
	for (u32 d = 0; d < FAB_DROPS; d++) {
		known += t->ports.drops[d];
		data += t->ports.data_drops[d];
	}
	if (known != r->dropped)
		return err_set(err, -EINVAL, "drops: %llu in all, but the ports' reasons add up to %llu", r->dropped,
			       known);
	if (data != r->dropped_data || data > known)
		return err_set(err, -EINVAL,
			       "drops: %llu data frames in all, but the ports' reasons add up to %llu of %llu",
			       r->dropped_data, data, known);
	return 0;
}
