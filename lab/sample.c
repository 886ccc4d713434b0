// SPDX-License-Identifier: GPL-2.0
/* Samples of the switch ports. */
#include "lab/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "lab/records_impl.h"

int sampler_start(struct sampler *s, const struct fabric *f)
{
	char path[CFG_STR + 32];
	int fd;

	if (!f->cfg->sample)
		return 0;
	snprintf(path, sizeof(path), "%s/.samples.XXXXXX", f->cfg->out);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	s->out = fdopen(fd, "w+");
	s->tx_bytes = calloc(f->size.ports, sizeof(u64));
	s->next = f->cfg->sample;
	if (!s->out)
		close(fd);
	if (!s->out || !s->tx_bytes)
		return -ENOMEM;
	fputs("time_ns,node,port,queue_bytes,buffer_bytes,paused,tx_bytes\n", s->out);
	return 0;
}

u64 sampler_next(const struct sampler *s)
{
	return s->out ? s->next : TIME_NEVER;
}

static void take_port(struct sampler *s, const struct fabric *f, const struct port *p)
{
	u64 queue = 0, buffer = 0, tx = p->stats.tx_bytes - s->tx_bytes[p->cfg.number];
	u32 paused = 0;

	for (u32 c = 0; c < FAB_CLASSES; c++) {
		queue += p->queue[c];
		buffer += p->occ[c];
		paused |= (u32)(p->pause.until[c] > s->next && p->pause.since[c] != TIME_NEVER) << c;
	}
	s->tx_bytes[p->cfg.number] += tx;
	if (!queue && !buffer && !paused && !tx)
		return;
	fprintf(s->out, "%s,%s,%u,%llu,%llu,%u,%llu\n", decimal(s->next, 3).s,
		f->topo->nodes[f->topo->switches[p->cfg.sw]].name, p->cfg.number - f->port_base[p->cfg.sw], queue,
		buffer, paused, tx);
}

void sampler_take(struct sampler *s, const struct fabric *f, const struct fabric_memory *m)
{
	for (u32 n = 0; n < f->size.ports; n++)
		take_port(s, f, &m->ports[n]);
	s->next += f->cfg->sample;
}

void sampler_free(struct sampler *s)
{
	if (s->out)
		fclose(s->out);
	free(s->tx_bytes);
}
