/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One switch of four ports (or PORTS) in plain memory, to drive bpf/advance.h frame by frame. Every test program has
 * its own. */
#include "tests/unit/unit.h"

#include "bpf/arbiter.h"
#include "bpf/abi.h"
#include "bpf/wire.h"

#ifndef PORTS
#define PORTS 4
#endif
#define FRAMES 8192
#define QUEUE 4096 /* of a port's arrivals */
#define CLASS 3
#define PS 200
#define DELAY 2000000ULL
#define MTU_FRAME 1074
#define LONG 65535 /* quanta */
#define T0 1000000ULL

struct departure {
	u64 arrival;
	u32 port, id; /* id: of inject(), or FAB_NONE for PFC */
	u32 key;      /* the frame's flow_key */
	u16 len;
	u8 class, pause, resume, flags;
	struct fc_note note;
};

static struct {
	struct fab_cfg cfg;
	struct fab_state state;
	struct sw sw;
	struct port ports[PORTS];
	struct port_rx rx[PORTS];
	struct frame frames[FRAMES];
	struct voq voqs[PORTS * (PORTS + 1) * FAB_CLASSES];
	u64 arrq[PORTS * QUEUE];
	u64 route[PORTS + 1];
	u32 stack[FRAMES], top;
	struct departure log[4 * FRAMES];
	u32 n_log;
	u64 last_key; /* of the events in order */
} w;

#define FAB_MEM
#define FAB_FN static inline

static inline const struct fab_cfg *fab_cfg(void)
{
	return &w.cfg;
}

static inline struct fab_state *fab_state(void)
{
	return &w.state;
}

static inline struct port *fab_port(u32 n)
{
	return n < PORTS ? &w.ports[n] : NULL;
}

static inline struct port_rx *fab_rx(u32 n)
{
	return n < PORTS ? &w.rx[n] : NULL;
}

static inline struct frame *fab_frame(u32 id)
{
	return id < FRAMES ? &w.frames[id] : NULL;
}

static inline struct voq *fab_voq(u32 n)
{
	return n < PORTS * (PORTS + 1) * FAB_CLASSES ? &w.voqs[n] : NULL;
}

static inline u64 *fab_arrq(u32 n)
{
	return n < PORTS * QUEUE ? &w.arrq[n] : NULL;
}

static inline u64 fab_route(u32 sw, u32 host)
{
	return host <= PORTS ? w.route[host] : 0;
}

static inline void fab_release(u32 id)
{
	assert_true(w.top < FRAMES);
	w.stack[w.top++] = id;
}

static inline int fab_emit(struct port *p, struct frame *f, u32 id, u64 arrival, const struct fc_note *note)
{
	struct departure *d = &w.log[w.n_log++];

	assert_true(w.n_log < sizeof(w.log) / sizeof(w.log[0]));
	*d = (struct departure){ .arrival = arrival, .port = p->cfg.number, .id = id, .len = PFC_LEN };
	if (note) {
		d->note = *note;
		d->pause = note->pause;
		d->resume = note->resume;
	}
	if (f) {
		d->len = f->len;
		d->key = f->flow_key;
		d->class = f->class;
		d->flags = f->flags;
		fab_release(id);
	}
	return 0;
}

#include "bpf/advance.h"

/* Host n hangs on port n; host PORTS is nowhere. */
static inline void reset(u32 buffer, u32 xoff, u32 xon)
{
	memset(&w, 0, sizeof(w));
	w.cfg = (struct fab_cfg){ .seed = 1, .n_hosts = PORTS, .buffer = buffer, .quanta = 65535 };
	w.cfg.pfc = xoff ? 0xff : 0;
	w.sw.n_ports = PORTS;
	w.sw.ps_per_byte = PS;
	w.sw.slot_key = KEY_NEVER;
	for (u32 i = 0; i < FAB_PORTS; i++)
		w.sw.key[i] = KEY_NEVER;
	for (u32 i = 0; i < PORTS; i++) {
		struct port *p = &w.ports[i];

		p->cfg = (struct port_cfg){
			.ps_per_byte = PS, .delay = DELAY, .number = i, .arrq_base = i * QUEUE, .arrq_mask = QUEUE - 1
		};
		p->cfg.xoff = xoff;
		p->cfg.xon = xon;
		p->arr_key = KEY_NEVER;
		pause_init(&p->pause);
		for (u32 c = 0; c < FAB_CLASSES; c++)
			p->refresh[c] = TIME_NEVER;
		w.route[i] = 1ULL << i;
	}
	for (u32 i = 0; i < PORTS * (PORTS + 1) * FAB_CLASSES; i++)
		w.voqs[i] = (struct voq){ FAB_NONE, FAB_NONE };
	while (w.top < FRAMES)
		w.stack[w.top] = w.top, w.top++;
}

static inline struct frame *arrive(u32 port, u64 time, u32 *id)
{
	struct frame *f;

	assert_true(w.top > 0 && w.rx[port].tail - w.ports[port].arrq_head < QUEUE);
	*id = w.stack[--w.top];
	f = &w.frames[*id];
	memset(f, 0, sizeof(*f));
	f->arrival = time;
	w.arrq[port * QUEUE + (w.rx[port].tail++ & (QUEUE - 1))] = *id;
	return f;
}

/* One buffer for all ports: a pool of @pool bytes, and what each port and class has for itself. */
static inline void share(u32 pool, u32 alpha, u32 reserve, u32 headroom)
{
	w.cfg.shared = 1;
	w.cfg.alpha = alpha;
	w.cfg.reserve = reserve;
	w.sw.pool.size = pool;
	for (u32 i = 0; i < PORTS; i++)
		w.ports[i].cfg.headroom = headroom;
}

/* A frame whose last bit comes to @port at @time; returns its number. Times at a port must not fall. */
static inline u32 inject(u32 port, u64 time, u32 len, u32 dst, u32 class)
{
	u32 id;
	struct frame *f = arrive(port, time, &id);

	f->len = len;
	f->dst = dst;
	f->class = class;
	f->flags = FRAME_DATA | FRAME_ECT;
	return id;
}

static inline void inject_pfc(u32 port, u64 time, u32 classes, u32 quanta)
{
	u32 id;
	struct frame *f = arrive(port, time, &id);

	f->len = PFC_LEN;
	f->flags = FRAME_PFC;
	f->pfc_classes = classes;
	for (u32 c = 0; c < FAB_CLASSES; c++)
		f->pfc_quanta[c] = classes >> c & 1 ? quanta : 0;
}

/* Advance to @until; events come in order of key. -1 if the switch stops the run. */
static inline int run(u64 until)
{
	int more;

	w.last_key = KEY(w.sw.clock, 0);
	if (sw_begin(&w.sw))
		return -1;
	while ((more = sw_step(&w.sw, 0, until)) > 0) {
		assert_true(w.sw.best >= w.last_key);
		w.last_key = w.sw.best;
	}
	return more;
}

static inline u64 ser(u32 len)
{
	return (u64)(len + 24) * PS;
}

/* Frames of all kinds on all ports, for a window. */
static inline void chaos_window(struct rng *rng, u64 from, u32 *sent)
{
	for (u32 in = 0; in < PORTS; in++) {
		for (u64 t = from + rng_below(rng, 300000); t < from + DELAY; t += rng_below(rng, 300000)) {
			if (one_in(rng, 40))
				inject_pfc(in, t, rng_below(rng, 256), rng_below(rng, 3) * rng_below(rng, 300));
			else
				w.frames[inject(in, t, 60 + rng_below(rng, 1500), rng_below(rng, PORTS),
						rng_below(rng, 2) * 6)]
					.flow_key = in << 24 | ++*sent;
		}
	}
}

/* Departures share no wire, and keep the order of their arrivals within input, output and class. */
static inline void assert_order(void)
{
	static u32 last[PORTS][PORTS][FAB_CLASSES];
	u64 busy[PORTS] = { 0 };

	memset(last, 0, sizeof(last));
	for (u32 i = 0; i < w.n_log; i++) {
		const struct departure *d = &w.log[i];
		u64 start = d->arrival - DELAY - ser(d->len);
		u32 *seen = &last[d->key >> 24][d->port][d->class];

		assert_true(start >= busy[d->port]);
		busy[d->port] = start + ser(d->len);
		if (d->id == FAB_NONE)
			continue;
		assert_true((d->key & 0xffffff) > *seen);
		*seen = d->key & 0xffffff;
	}
}

/* A sender upstream that obeys PFC to the picosecond: when its next frame, ready at *next, may start. */
static inline u64 obey(u64 *next, u32 *seen, u64 *until)
{
	for (; *seen < w.n_log; ++*seen) {
		const struct departure *d = &w.log[*seen];

		if (d->id != FAB_NONE || d->port != 0)
			continue;
		if (d->arrival > max64(*next, *until))
			break;
		*next = max64(*next, d->arrival);
		*until = d->pause ? d->arrival + LONG * 12800ULL : 0;
	}
	return max64(*next, *until);
}

/* The most that a buffer holds when a congested output stops and goes, and the wire back is busy. Bytes. */
static inline u64 fill(u32 headroom, int shared, u64 *drops)
{
	struct rng rng = { .state = 5 };
	u32 buffer = 60000, xoff = buffer - headroom, seen = 0;
	u64 next = T0, until = 0, len = MTU_FRAME, back = T0, start;

	reset(buffer, xoff, xoff - 2 * MTU_FRAME);
	if (shared)
		share(40000, 1 << ALPHA_SHIFT >> 2, 4096, headroom);
	for (u64 t = T0; t < 4000 * DELAY; t += DELAY) {
		w.n_log -= seen;
		memmove(w.log, w.log + seen, w.n_log * sizeof(w.log[0]));
		seen = 0;
		if (one_in(&rng, 10))
			inject_pfc(1, t, 1 << CLASS, one_in(&rng, 3) ? LONG : 0);
		for (; back < t + DELAY; back += ser(MTU_FRAME) + rng_below(&rng, 2) * rng_below(&rng, 100000))
			inject(2, back, MTU_FRAME, 0, CLASS);
		while ((start = obey(&next, &seen, &until)) + ser(len) < t) {
			next = start + ser(len);
			inject(0, next + DELAY, len, 1, CLASS);
			len = one_in(&rng, 8) ? 60 + rng_below(&rng, MTU_FRAME - 59) : MTU_FRAME;
		}
		assert_int_equal(run(t + DELAY), 0);
	}
	*drops = w.ports[0].stats.drops[FAB_DROP_BUFFER];
	assert_true(w.ports[0].stats.pause_tx > 50);
	return w.ports[0].stats.max_buffer;
}
