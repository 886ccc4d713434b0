// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples of the switch ports and of what the hosts have received. */
#include "lab/run/sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/records/records_impl.h"
#include "lab/run/scratch.h"

int sampler_start(struct sampler *s, const struct plan *f)
{
	int rc;

	if (!f->cfg->sample)
		return 0;
	rc = scratch_file(f->cfg->out, "samples", &s->out);
	if (!rc)
		rc = scratch_file(f->cfg->out, "goodput", &s->goodput);
	s->ports = calloc(f->size.ports, sizeof(*s->ports));
	s->received = calloc(f->size.hosts, sizeof(*s->received));
	s->next = f->cfg->sample;
	if (rc || !s->ports || !s->received)
		return rc ? rc : -ENOMEM;
	for (u32 n = 0; n < f->size.ports; n++) {
		u32 sw = f->ports[n].sw;

		snprintf(s->ports[n].name, sizeof(s->ports[n].name), ",%s,%u,",
			 f->topo->nodes[f->topo->switches[sw]].name, n - f->port_base[sw]);
	}
	fputs("time_ns,node,port,queue_bytes,buffer_bytes,paused,tx_bytes,rx_bytes\n", s->out);
	fputs("time_ns,host,bytes\n", s->goodput);
	return 0;
}

u64 sampler_next(const struct sampler *s)
{
	return s->out ? s->next : TIME_NEVER;
}

/* Write @v and the character @then; returns the end. With printf() for the many rows, sampling would cost twice as
 * much. */
static char *put(char *at, u64 v, char then)
{
	char digits[20];
	u32 n = 0;

	do
		digits[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		*at++ = digits[--n];
	*at++ = then;
	return at;
}

static void take_port(struct sampler *s, const struct port *p, const char *time)
{
	struct sampled *last = &s->ports[p->cfg.number];
	struct sampled now = { .tx_bytes = p->stats.tx_bytes, .rx_bytes = p->stats.rx_bytes };
	u64 tx = now.tx_bytes - last->tx_bytes, rx = now.rx_bytes - last->rx_bytes;
	char row[256], *at = row;

	for (u32 c = 0; c < FAB_CLASSES; c++) {
		now.queue += p->queue[c];
		now.buffer += p->occ[c];
		if (p->pause.until[c] > s->next && p->pause.since[c] != TIME_NEVER) {
			now.paused |= 1U << c;
			s->runs_out = min64(s->runs_out, p->pause.until[c]);
		}
	}
	if (!tx && !rx && now.queue == last->queue && now.buffer == last->buffer && now.paused == last->paused)
		return;
	at = stpcpy(stpcpy(at, time), last->name);
	at = put(at, now.queue, ',');
	at = put(at, now.buffer, ',');
	at = put(at, now.paused, ',');
	at = put(at, tx, ',');
	at = put(at, rx, '\n');
	memcpy(now.name, last->name, sizeof(now.name));
	*last = now;
	fwrite(row, 1, (size_t)(at - row), s->out);
}

static void take_host(struct sampler *s, const struct plan *f, u32 h, u64 received, const char *time)
{
	u64 bytes = received - s->received[h];

	if (!bytes)
		return;
	s->received[h] = received;
	fprintf(s->goodput, "%s,%s,%llu\n", time, f->topo->nodes[f->topo->hosts[h]].name, bytes);
}

/*
 * How many samples ahead is the next one that may find a change? The first after @idle (events at an instant come after
 * its sample), or an earlier one by which a pause has expired, which takes no event.
 */
static u64 samples_ahead(const struct sampler *s, u64 every, u64 idle)
{
	u64 behind_idle = (idle - s->next) / every + 1, run_out = (s->runs_out - 1 - s->next) / every + 1;

	return min64(behind_idle, run_out);
}

void sampler_take(struct sampler *s, const struct plan *f, const struct plan_memory *m, const struct host_view *hosts,
		  u64 idle)
{
	struct decimal time = decimal(s->next, 3);

	s->runs_out = TIME_NEVER;
	for (u32 n = 0; n < f->size.ports; n++)
		take_port(s, &m->ports[n], time.s);
	for (u32 h = 0; h < f->size.hosts; h++)
		take_host(s, f, h, hosts[h].fresh_bytes, time.s);
	s->next += samples_ahead(s, f->cfg->sample, idle) * f->cfg->sample;
}

void sampler_free(struct sampler *s)
{
	if (s->out)
		fclose(s->out);
	if (s->goodput)
		fclose(s->goodput);
	free(s->ports);
	free(s->received);
}
