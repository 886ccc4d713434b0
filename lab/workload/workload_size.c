// SPDX-License-Identifier: GPL-2.0-or-later
/* Distributions of flow sizes: draws and means, with integers only. */
#include <string.h>

#include "agent/packet/packet.h"
#include "bpf/wire.h"
#include "lab/workload/workload_impl.h"
#include "topo/topo.h"

/*
 * Heavy-tailed: the classes of the IRN paper (SIGCOMM 2018, its default case: half of the flows are one packet, 15 %
 * have 200 KB to 3 MB). It gives no shapes; ours are uniform for the small, log-uniform for the medium and large.
 */
#define SMALL_PERCENT 50
#define MEDIUM_PERCENT 35
#define LARGE_PERCENT 15
#define SMALL_MIN 32
#define SMALL_MAX 1000

static const u64 class_lo[2] = { 1000, 200000 }, class_hi[2] = { 200000, 3000000 };

/* a (b/a)^u for uniform u, as 2^(log2 a + u (log2 b - log2 a)), cut to whole bytes. */
static u64 log_uniform(const struct size_dist *d, u32 class, struct rng *r)
{
	u64 span = d->log2_hi[class] - d->log2_lo[class];
	u64 x = d->log2_lo[class] + (u64)(((u128)rng_next(r) * span) >> 64);
	u64 bytes = fx_exp2(x);

	/* log2 is rounded down, so at u = 0 the power may fall short of a by a byte. */
	return bytes < class_lo[class] ? class_lo[class] : bytes;
}

static u64 draw_heavy_tailed(const struct size_dist *d, struct rng *r)
{
	u64 percent = rng_below(r, 100);

	if (percent < SMALL_PERCENT)
		return SMALL_MIN + rng_below(r, SMALL_MAX - SMALL_MIN + 1);
	return log_uniform(d, percent >= SMALL_PERCENT + MEDIUM_PERCENT, r);
}

/*
 * Mean of the continuous log-uniform distribution: the integral of x / (x ln(b/a)) over [a, b] = (b - a) / ln(b/a).
 * Cutting draws to whole bytes takes half a byte off, 3 millionths of the whole mean of 168 497 bytes: left out.
 */
static u64 log_uniform_mean(u64 a, u64 b)
{
	u64 ln = fx_ln(b) - fx_ln(a); /* Q48 */

	return (u64)(((u128)(b - a) << (FX_BITS + MEAN_BITS)) / ln);
}

/* The mean of the three classes, each given x 2^MEAN_BITS. */
static u64 heavy_tailed_mean(u64 small, u64 medium, u64 large)
{
	return (SMALL_PERCENT * small + MEDIUM_PERCENT * medium + LARGE_PERCENT * large) / 100;
}

/*
 * What packets add to the log-uniform sizes of a class, on average, x 2^MEAN_BITS. Packet n exists if the size is above
 * its offset o, with probability (ln b - ln (o + 1)) / (ln b - ln a), as sizes are cut to whole bytes; then it adds its
 * headers, and the padding of the full packet before it. The last packet's padding is 1.5 bytes on average, less the
 * half byte that log_uniform_mean() is above the mean of whole bytes.
 */
static u64 log_uniform_extra(const struct wire_cut *cut, u64 a, u64 b)
{
	struct packet_rules r = { .format = FORMAT_ROCE, .mtu = cut->mtu, .message = cut->message };
	u64 ln_a = fx_ln(a), ln_b = fx_ln(b), offset = 0;
	u128 sum = (u128)(ln_b - ln_a); /* 1 byte */
	u32 before = 0;                 /* payload of the packet before */

	r.msg_packets = (cut->message + cut->mtu - 1) / cut->mtu;
	for (u32 n = 0; (offset = packet_offset(&r, n)) + 1 < b; n++) {
		u64 weight = ROCE_OVERHEAD + ETH_WIRE_EXTRA + (packet_is_first(&r, n) ? RETH_LEN : 0) + (-before & 3);
		u64 above = ln_b - (offset + 1 > a ? fx_ln(offset + 1) : ln_a);

		sum += (u128)weight * above;
		before = packet_payload(&r, b, n);
	}
	return (u64)((sum << MEAN_BITS) / (ln_b - ln_a));
}

static u128 uniform_wire_mean(const struct wire_cut *cut, u64 min, u64 max)
{
	return ((wire_sum(cut, max) - wire_sum(cut, min - 1)) << MEAN_BITS) / (max - min + 1);
}

static u128 heavy_tailed_wire_mean(const struct size_dist *d, const struct wire_cut *cut)
{
	u64 mean[2];

	for (u32 i = 0; i < 2; i++)
		mean[i] = log_uniform_mean(class_lo[i], class_hi[i]) + log_uniform_extra(cut, class_lo[i], class_hi[i]);
	return heavy_tailed_mean((u64)uniform_wire_mean(cut, SMALL_MIN, SMALL_MAX), mean[0], mean[1]);
}

void size_heavy_tailed(struct size_dist *d)
{
	u64 small = (u64)(SMALL_MIN + SMALL_MAX) << (MEAN_BITS - 1);

	d->draw = draw_heavy_tailed;
	d->wire_mean = heavy_tailed_wire_mean;
	for (u32 i = 0; i < 2; i++) {
		d->log2_lo[i] = fx_log2(class_lo[i]);
		d->log2_hi[i] = fx_log2(class_hi[i]);
	}
	d->mean = heavy_tailed_mean(small, log_uniform_mean(class_lo[0], class_hi[0]),
				    log_uniform_mean(class_lo[1], class_hi[1]));
}

static u64 draw_cdf(const struct size_dist *d, struct rng *r)
{
	const struct cdf *cdf = &d->cdf;
	u32 share = (u32)rng_below(r, CDF_ONE), lo = 0, hi = cdf->n - 1;

	/* The first point whose share is above the draw; point 0 has none, the last has all. */
	while (hi - lo > 1) {
		u32 mid = (lo + hi) / 2;

		if (cdf->share[mid] > share)
			hi = mid;
		else
			lo = mid;
	}
	return cdf->bytes[hi - 1] + 1 + rng_below(r, cdf->bytes[hi] - cdf->bytes[hi - 1]);
}

/* Shares of uniform sizes, each mean rounded down to 2^-MEAN_BITS bytes. */
static u128 cdf_wire_mean(const struct size_dist *d, const struct wire_cut *cut)
{
	const struct cdf *cdf = &d->cdf;
	u128 sum = 0; /* x CDF_ONE */

	for (u32 i = 1; i < cdf->n; i++)
		sum += (cdf->share[i] - cdf->share[i - 1]) *
			uniform_wire_mean(cut, cdf->bytes[i - 1] + 1, cdf->bytes[i]);
	return sum / CDF_ONE;
}

const char *size_from_cdf(struct size_dist *d)
{
	struct cdf *cdf = &d->cdf;
	u128 sum = 0; /* E[size] x 2 CDF_ONE */

	if (cdf->n < 2 || cdf->share[cdf->n - 1] != CDF_ONE)
		return "the last line is not at 100 per cent";
	if (cdf->share[0])
		return "the first point has a share";
	for (u32 i = 1; i < cdf->n; i++) {
		if (cdf->bytes[i] <= cdf->bytes[i - 1])
			return "bytes do not increase";
		if (cdf->share[i] < cdf->share[i - 1])
			return "per cents decrease";
		/* Uniform over bytes[i-1]+1 .. bytes[i]: the mean is half of the sum of these ends. */
		sum += (u128)(cdf->share[i] - cdf->share[i - 1]) * (cdf->bytes[i - 1] + 1 + cdf->bytes[i]);
	}
	d->mean = (u64)((sum << MEAN_BITS) / (2 * CDF_ONE));
	d->draw = draw_cdf;
	d->wire_mean = cdf_wire_mean;
	return NULL;
}

/* Web search, as published with HPCC's simulator (REFERENCE.md section 9): bytes, per cent. */
void size_websearch(struct size_dist *d)
{
	static const u32 points[][2] = {
		{ 0, 0 },       { 10000, 15 },   { 20000, 20 },   { 30000, 30 },   { 50000, 40 },    { 80000, 53 },
		{ 200000, 60 }, { 1000000, 70 }, { 2000000, 80 }, { 5000000, 90 }, { 10000000, 97 }, { 30000000, 100 },
	};

	d->cdf.n = sizeof(points) / sizeof(points[0]);
	for (u32 i = 0; i < d->cdf.n; i++) {
		d->cdf.bytes[i] = points[i][0];
		d->cdf.share[i] = points[i][1] * (CDF_ONE / 100);
	}
	size_from_cdf(d);
}

const char *size_uniform(struct size_dist *d, const char *text)
{
	const char *dash = strchr(text, '-');
	struct err unit_err;
	char low[32];
	u64 min, max;

	if (!dash || (size_t)(dash - text) >= sizeof(low))
		return "not of the form MIN-MAX, two sizes";
	memcpy(low, text, (size_t)(dash - text));
	low[dash - text] = '\0';
	if (unit_size(low, &min, &unit_err) || unit_size(dash + 1, &max, &unit_err))
		return "not of the form MIN-MAX, two sizes";
	if (!min || min > max || max > WORKLOAD_BYTES_MAX)
		return "not a range of sizes from 1 byte to 2^40";
	d->cdf = (struct cdf){ .n = 2, .bytes = { min - 1, max }, .share = { 0, CDF_ONE } };
	return size_from_cdf(d);
}
