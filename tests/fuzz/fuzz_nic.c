// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NIC's state machine: an input is a configuration and a script of what happens to host 0. Frames of its flows, as
 * the peers would build them or with bytes changed, of any number and at any time; PFC, credits, CNPs; a link that
 * breaks and mends, storms. The configuration draws from the words of the keys transport, cc and op, so every scheme is
 * there as soon as it is declared. fuzz: runs=3000 max_len=500
 */
#include "tests/fuzz/nic_invariants.h"

#include "agent/packet/psn.h"
#include "bpf/pfc.h"
#include "lab/config/cfg.h"
#include "lab/config/cfg_keys.h"
#include "lab/plan/plan.h"

#define HOSTS 3
#define CFG_BYTES 5 /* of an input, for its configuration */
#define FAULTS 4
#define STEP_MAX 256 /* of a script */

static const char fabric[] = "default 40gbit 2us\nhost h0\nhost h1\nhost h2\nswitch s0\n"
			     "link h0 s0\nlink h1 s0\nlink h2 s0\n";

/* The input, byte by byte; 0 when it is used up. */
struct input {
	const u8 *at, *end;
};

static u32 byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static u32 word16(struct input *in)
{
	u32 high = byte(in);

	return high << 8 | byte(in);
}

static bool set(struct run_cfg *c, const char *key, const char *value)
{
	char text[64];
	struct err err;

	snprintf(text, sizeof(text), "%s=%s", key, value);
	return !cfg_set(c, text, &err);
}

/* One of the words of @key. */
static bool set_word(struct run_cfg *c, const char *key, u32 draw)
{
	const struct cfg_key *k = cfg_key(cfg_key_number(key));
	u32 n = 0;

	HOLDS(k && cfg_word(k, 0), "key %s has no words", key);
	while (cfg_word(k, n))
		n++;
	return set(c, key, cfg_word(k, draw % n));
}

/* False if keys contradict each other. */
static bool draw_cfg(const u8 *in, struct run_cfg *c)
{
	static const char *const mtus[] = { "64", "256", "1000", "2048" };
	static const char *const messages[] = { "flow", "1", "999", "4096" };
	static const char *const everies[] = { "1", "4", "message" };
	u32 transport = in[0], cc = in[1], shape = in[2] << 8 | in[3], more = in[4];
	struct err err;
	bool ok;

	cfg_defaults(c);
	ok = set(c, "engine", "twin") && set_word(c, "transport", transport) && set_word(c, "fc", shape & 3) &&
		set(c, "workload", "incast") && set(c, "bytes", "1") && set(c, "mtu", mtus[shape >> 2 & 3]);
	if (c->transport[0] && strcmp(c->transport, "iwarp")) {
		ok = ok && set_word(c, "cc", cc) && set_word(c, "op", shape >> 4) &&
			set(c, "message", messages[shape >> 8 & 3]);
		if (!strcmp(c->transport, "roce") || !strcmp(c->transport, "melo"))
			ok = ok && set(c, "ack_every", everies[(shape >> 10) % 3]);
	}
	if (more & 1)
		ok = ok && set(c, "psn0", "16777200");
	if (more & 2)
		ok = ok && set(c, "timeouts", "on") && set(c, "retry_cnt", more & 4 ? "2" : "infinite");
	if (more & 8)
		ok = ok && set(c, "ack_class", "6");
	if (more & 16 && c->op == FLOW_SEND)
		ok = ok && set(c, "rq", "2") && set(c, "rnr_retry", "3");
	if (more & 32 && !strcmp(c->transport, "melo"))
		ok = ok && set(c, "melo_bits", "16") && set(c, "melo_cache", "1");
	return ok && !cfg_finish(c, &err);
}

/* Flows of this NIC, both ways; of some classes. */
static void draw_flows(struct fuzz_world *w, struct input *in, enum flow_op op)
{
	w->table = (struct flow_table){
		.flows = w->flows, .src_index = w->src_index, .dst_index = w->dst_index, .results = w->results
	};
	w->table.n = 1 + byte(in) % FUZZ_FLOWS;
	for (u32 i = 0; i < w->table.n; i++) {
		u32 peer = 1 + byte(in) % (HOSTS - 1), bytes = 1 + word16(in);
		bool out = byte(in) & 1;

		while (packet_count(&w->par.rules, bytes) > FUZZ_PACKETS)
			bytes = (bytes + 1) / 2;
		w->flows[i] = (struct flow){ .id = i,
					     .src = out ? 0 : peer,
					     .dst = out ? peer : 0,
					     .op = op,
					     .class = byte(in) % FAB_CLASSES,
					     .bytes = bytes,
					     .start_ps = byte(in) * PS_PER_US / 8 };
		w->results[i].done_ps = TIME_NEVER;
	}
	w->par.flows = &w->table;
}

static void draw_faults(struct fuzz_world *w, struct input *in, struct nic_fault *faults)
{
	u32 n = byte(in) % (FAULTS + 1);
	u64 at = 0;

	for (u32 i = 0; i < n; i++) {
		at += 1 + word16(in) * PS_PER_NS * 4;
		faults[i] = (struct nic_fault){ .at = at, .kind = byte(in) % 4, .class = byte(in) % FAB_CLASSES };
		if (faults[i].kind == NIC_STORM_ON || faults[i].kind == NIC_STORM_OFF)
			w->par.n_storms = i + 1;
	}
	w->par.faults = faults;
	w->par.n_faults = n;
	w->par.quanta = 20000;
}

/* A packet number near where the flow stands: mostly the next, or one already seen. */
static u32 draw_packet(const struct fuzz_world *w, struct input *in, u32 flow)
{
	const struct flow *f = &w->flows[flow];
	u32 draw = byte(in), base, n;

	if (f->src == w->par.host) {
		base = w->nic->senders[w->src_index[flow]].qp.una;
		n = w->nic->senders[w->src_index[flow]].sent_high;
		return draw < 64 && n ? n - 1 : base + draw % 16 - 4 * (draw % 3 == 2);
	}
	base = w->nic->receivers[w->dst_index[flow]].qp.expected;
	return draw < 128 ? base : base + draw % 32 - 8 * (draw % 5 == 4);
}

static void build_answer(const struct fuzz_world *w, struct input *in, u32 flow, struct tx_frame *f)
{
	static const u8 syndromes[] = { AETH_ACK,          AETH_ACK,       AETH_ACK,        AETH_NAK_SEQUENCE,
					AETH_NAK_SEQUENCE, AETH_RNR | 0x1, AETH_NAK_ACCESS, 0x61 };
	u32 kind = byte(in), n = draw_packet(w, in, flow);
	struct packet_ack a = { .n = n, .syndrome = syndromes[kind & 7], .marked = kind & 8 };

	a.msn = psn_add(w->par.rules.psn0, draw_packet(w, in, flow));
	a.n_ranges = kind & 16 ? 1 + (kind >> 5 & 1) + (kind >> 6 & 1) : 0;
	for (u32 i = 0; i < a.n_ranges; i++) {
		a.ranges[i].from = n + 1 + byte(in) % 16;
		a.ranges[i].to = a.ranges[i].from + 1 + byte(in) % 8;
	}
	packet_build_ack(&w->par.rules, f, &w->flows[flow], &a);
}

/* A packet of @flow as its peer builds it, or as its peer never would. */
static void build_packet(const struct fuzz_world *w, struct input *in, u32 flow, struct tx_frame *f)
{
	const struct flow *fl = &w->flows[flow];
	bool roce = w->par.rules.format == FORMAT_ROCE;
	u32 draw = byte(in), n = draw_packet(w, in, flow);
	bool in_flow = n < packet_count(&w->par.rules, fl->bytes);

	if (roce && draw % 16 == 1)
		packet_build_cnp(&w->par.rules, f, fl, draw & 16 ? NO_NUMBER : n);
	else if (roce && fl->op == FLOW_READ && draw % 16 == 2 && in_flow)
		packet_build_read(&w->par.rules, f, fl, n / w->par.rules.msg_packets);
	else if (roce && fl->op == FLOW_READ && draw % 16 == 3 && in_flow)
		packet_build_read_nak(&w->par.rules, f, fl, n, draw & 16 ? AETH_NAK_SEQUENCE : AETH_RNR | 0x1);
	else if (roce && fl->op == FLOW_READ && fl->src == w->par.host && draw % 4 == 0)
		packet_build_read(&w->par.rules, f, fl,
				  w->nic->senders[w->src_index[flow]].qp.limit / w->par.rules.msg_packets);
	else if ((fl->dst == w->par.host) != (draw % 16 == 4) && in_flow)
		packet_build_data(&w->par.rules, f, fl, n, draw & 32);
	else
		build_answer(w, in, flow, f);
}

static void build_control(const struct fuzz_world *w, struct input *in, struct tx_frame *f)
{
	u32 class = byte(in), quanta = word16(in);

	if (w->par.credits) {
		u32 c = class % FAB_CLASSES, sent = nic_credit(w->nic)->sent[c];

		credit_build(f->head, 1, c, sent, sent + (class & 128 ? quanta : w->par.credits));
	} else {
		pfc_build(f->head, 1, quanta & 7 ? class : 0, quanta & 7 ? 0 : class, quanta >> (class & 15));
	}
	f->len = f->head_len = PFC_LEN;
}

/* A frame comes @later than the last one that is on its way. */
static void come(struct fuzz_world *w, struct input *in, u64 later)
{
	u64 last = w->n_rx ? w->rx[w->n_rx - 1].arrival : nic_clock(w->nic);
	struct fuzz_frame *r = &w->rx[w->n_rx];
	struct tx_frame f = { 0 };
	u8 b[FRAME_MAX + 64] = { 0 };
	u32 draw = byte(in);

	if (w->n_rx == FUZZ_RX)
		return;
	if (draw % 8 == 7)
		build_control(w, in, &f);
	else
		build_packet(w, in, draw / 8 % w->table.n, &f);
	memcpy(b, f.head, sizeof(f.head));
	r->len = f.len;
	for (u32 m = draw % 8 == 6 ? 1 + byte(in) % 3 : 0; m; m--) {
		u32 at = byte(in);

		b[at % HEAD_MAX] ^= 1 + byte(in);
	}
	if (draw % 8 == 6 && byte(in) % 4 == 0)
		r->len = ETH_MIN + word16(in) % (FRAME_MAX - ETH_MIN);
	r->have = r->len > HEAD_MAX && draw & 8 ? HEAD_MAX : r->len;
	r->arrival = last + later;
	r->bytes = malloc(r->have);
	HOLDS(r->bytes, "out of memory");
	memcpy(r->bytes, b, r->have);
	w->n_rx++;
}

/* The switch wants all that was sent, and the peers acknowledge it: what gets a run far. */
static void acknowledge_all(struct fuzz_world *w)
{
	for (u32 i = 0; i < w->nic->n_senders && w->n_rx < FUZZ_RX; i++) {
		const struct sender *s = &w->nic->senders[i];
		bool tcp = w->par.rules.format == FORMAT_TCP;
		struct fuzz_frame *r = &w->rx[w->n_rx];
		struct tx_frame f;

		if (!s->sent_high)
			continue;
		packet_build_ack(&w->par.rules, &f, &w->flows[s->flow],
				 &(struct packet_ack){ .n = s->sent_high - !tcp, .syndrome = AETH_ACK });
		r->arrival = w->n_rx ? r[-1].arrival : nic_clock(w->nic);
		r->have = r->len = f.len;
		r->bytes = calloc(1, r->have);
		HOLDS(r->bytes, "out of memory");
		memcpy(r->bytes, f.head, f.head_len);
		w->n_rx++;
	}
}

/* The script: frames and time. */
static void run_script(struct fuzz_world *w, struct input *in)
{
	u64 until = 0;

	for (u32 step = 0; in->at < in->end && step < STEP_MAX; step++) {
		u32 draw = byte(in);
		int rc;

		w->discard = draw == 255;
		if (draw < 160)
			come(w, in, (u64)(draw % 16) * (draw % 16) * 20 * PS_PER_NS);
		else if (draw < 176)
			acknowledge_all(w);
		if (draw % 4 == 0)
			continue;
		until = max64(until, nic_clock(w->nic)) + (draw < 224 ? (u64)word16(in) * 10 * PS_PER_NS : byte(in));
		rc = nic_advance(w->nic, until);
		if (rc == -ENOBUFS)
			return; /* it has sent enough */
		HOLDS(!rc || rc == -ETIME, "nic_advance() returned %d", rc);
		if (rc == -ETIME) {
			/* the script's own doing: a fault has moved the clock beyond a frame on its way */
			HOLDS(w->n_rx && w->rx[0].arrival < nic_clock(w->nic), "-ETIME without an old frame");
			return;
		}
		invariants_check(w, until);
	}
}

static void run_nic(struct fuzz_world *w, struct input *in, const struct plan *plan)
{
	struct nic_fault faults[FAULTS];

	w->par = plan->nics[0];
	draw_flows(w, in, plan->cfg->op);
	draw_faults(w, in, faults);
	w->io = (struct nic_io){
		.ctx = w, .peek = fuzz_peek, .take = fuzz_take, .check = fuzz_check, .send = fuzz_send
	};
	w->nic = nic_new(&w->par, &w->io);
	HOLDS(w->nic, "out of memory");
	run_script(w, in);
	nic_report(w->nic);
	nic_free(w->nic);
	while (w->n_rx)
		free(w->rx[--w->n_rx].bytes);
}

static struct topo *open_fabric(void)
{
	FILE *f = fmemopen((void *)(uintptr_t)fabric, sizeof(fabric) - 1, "r");
	struct topo *t = NULL;
	struct err err = { 0 };

	HOLDS(f && !topo_parse(f, "fuzz", &t, &err), "%s", err.text);
	fclose(f);
	return t;
}

/* The plan of the configuration that an input begins with; NULL if it is refused. Planning takes longer than running.
 */
static const struct plan *plan_of(struct input *in)
{
	static struct cached {
		u8 key[CFG_BYTES];
		bool used, refused;
		struct run_cfg cfg;
		struct plan plan;
	} cache[256];
	static struct topo *topo;
	struct cached *c;
	struct err err;
	u32 hash = 0;

	if (!topo)
		topo = open_fabric();
	for (u32 i = 0; i < CFG_BYTES; i++)
		hash = hash * 31 + in->at[i];
	c = &cache[hash % 256];
	if (!c->used || memcmp(c->key, in->at, CFG_BYTES)) {
		if (c->used && !c->refused)
			plan_free(&c->plan);
		c->used = true;
		memcpy(c->key, in->at, CFG_BYTES);
		c->refused = !draw_cfg(in->at, &c->cfg);
		if (!c->refused && plan_make(&c->plan, &c->cfg, topo, &err)) {
			plan_free(&c->plan);
			c->refused = true;
		}
	}
	in->at += CFG_BYTES;
	return c->refused ? NULL : &c->plan;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz_world w;
	struct input in = { data, data + size };
	const struct plan *plan;

	if (size < CFG_BYTES + 8)
		return -1; /* not worth keeping */
	plan = plan_of(&in);
	if (!plan)
		return -1;
	memset(&w, 0, sizeof(w));
	run_nic(&w, &in, plan);
	return 0;
}
