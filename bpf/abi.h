/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fabric's ABI: the structs that the BPF programs, the conductor and the twin share.
 * They live in BPF maps (kernel engine, mapped into the conductor) or in plain memory (twin).
 * Fixed-width integers only, sizes asserted. All times in ps, all sizes in bytes.
 *
 * Who writes what: struct port_rx belongs to the port's ingress (softirq, any CPU), all the
 * rest to advance and emit, which the conductor runs one after the other.
 */
#ifndef LOSSLAB_ABI_H
#define LOSSLAB_ABI_H

#include "bpf/buffer.h"
#include "bpf/types.h"

#define FAB_PORTS 64         /* ports of one switch */
#define FAB_CLASSES 8        /* traffic classes = PFC priorities */
#define FAB_NONE 0xffffffffU /* no frame, no port */
#define XBAR_ITERATIONS 16   /* of iSLIP, at most */

#define SLOT_SMALL 128  /* bytes kept of a small frame (ACK, CNP, PFC, short messages) */
#define SLOT_LARGE 2176 /* bytes kept of any other: mtu 2048 + headers, in 128s */

/* A key packs an event's time and kind. The least key is the next event; at equal time kinds come in this order. */
enum event_kind { EV_PFC_ARRIVAL, EV_ARRIVAL, EV_TIMER, EV_SLOT, EV_DEPARTURE };
#define KEY_KIND_BITS 3
#define KEY(time, kind) (((time) << KEY_KIND_BITS) | (kind))
#define KEY_TIME(key) ((key) >> KEY_KIND_BITS)
#define KEY_KIND(key) ((key)&7)
#define KEY_NEVER ((u64)~0ULL)
/* Virtual time ends here, 13 days in: the keys keep three bits for the kind. */
#define TIME_LIMIT (1ULL << 60)

/* Why a frame was dropped. Names and meanings: drop_words[] in lab/records/columns.c. */
enum fab_drop {
	FAB_DROP_BUFFER,
	FAB_DROP_LOSS,
	FAB_DROP_NO_ROUTE,
	FAB_DROP_LINK,
	FAB_DROP_FAULT,
	FAB_DROP_WATCHDOG,
	FAB_DROPS
};

/* Why a frame was marked: the length of its queue, or a full buffer (bpf/ecn.h). Names: mark_words[], likewise. */
enum fab_mark {
	FAB_MARK_RED,
	FAB_MARK_STEP,
	FAB_MARK_INPUT, /* ib: its own input buffer was full */
	FAB_MARK_ROOT,  /* ib: another one was, and this frame waited for a root output */
	FAB_MARKS
};

enum frame_flags {
	FRAME_PFC = 1,       /* flow control: an 802.1Qbb frame, or with FRAME_CREDIT one that carries credits */
	FRAME_LARGE = 2,     /* its bytes are in a large slot */
	FRAME_ECT = 4,       /* its IP header says ECN-capable */
	FRAME_CE = 8,        /* congestion experienced: on arrival, or marked here */
	FRAME_MARKED = 16,   /* CE was set by this switch: emit rewrites the header */
	FRAME_DATA = 32,     /* carries payload (not an ACK, NACK or CNP) */
	FRAME_CREDIT = 4,    /* see FRAME_PFC: such frames are not ECN-capable, so they can share its bit */
	FRAME_LAST_HOP = 64, /* emission: bound for a host, so its slot is free afterwards */
	FRAME_CORRUPT = 128, /* a bit was changed here: emit changes it, in the twin the receiver takes notice */
};

/* How switches mark: bpf/ecn.h. */
enum fab_ecn { ECN_OFF, ECN_RED, ECN_STEP, ECN_IB, ECN_IB_INPUT, ECN_IB_OUTPUT };

/* A frame inside a switch: what decisions need to know. Its bytes are in the slot of the same number. */
struct frame {
	u64 arrival;  /* when its last bit arrived here */
	u32 next;     /* the frame behind it in its VOQ, or FAB_NONE */
	u32 flow_key; /* hash of the 5-tuple, without any seed */
	u32 dst;      /* destination host */
	u16 len;      /* bytes without FCS and stamp, at least 60 */
	u8 flags;
	u8 class;
	u16 in_port;     /* within the switch */
	u16 pfc_classes; /* PFC: class-enable vector */
	union {
		u16 pfc_quanta[FAB_CLASSES];
		struct {
			u32 fctbs, fccl; /* credits, of `class` */
		};
	};
	u16 out_port;
	u16 crossed; /* bytes on the wire of it that are through the crossbar */
	u16 pad[4];
	u64 order; /* how many frames its switch had queued up to this one: see bpf/ecn.h */
};
_Static_assert(sizeof(struct frame) == 64, "struct frame is one cache line");

static inline int frame_is_credit(const struct frame *f)
{
	return (f->flags & (FRAME_PFC | FRAME_CREDIT)) == (FRAME_PFC | FRAME_CREDIT);
}

/* A FIFO of frames: bpf/voq.h has which there are. */
struct voq {
	u32 head, tail; /* frames, or FAB_NONE */
};
_Static_assert(sizeof(struct voq) == 8, "struct voq");

/* Written by a port's ingress only; read by all. Free-running indices. */
struct port_rx {
	u32 tail;         /* frames put into the arrival queue = lab frames received */
	u32 free_head[2]; /* free slots taken: small, large */
	u32 foreign;      /* frames without a stamp: not the lab's */
	u32 no_slot;      /* a frame found no slot: the run must end */
	u32 malformed;    /* a stamp, but not a frame this lab makes */
	u32 pad[10];
};
_Static_assert(sizeof(struct port_rx) == 64, "struct port_rx is one cache line");

/* A transmitter's pauses, per class, from the PFC frames it has received. */
struct pause_state {
	u64 until[FAB_CLASSES];     /* silent before this time */
	u64 since[FAB_CLASSES];     /* start of the pause being accounted, or TIME_NEVER */
	u64 accounted[FAB_CLASSES]; /* ps paused, as far as accounted */
};

/* fc=credit: a transmitter's counters, in blocks: bpf/credit.h. */
struct credit_tx {
	u32 sent[FAB_CLASSES];  /* FCTBS */
	u32 limit[FAB_CLASSES]; /* FCCL, as last received */
};

/* fc=credit: a receiver's counters, in blocks. */
struct credit_rx {
	u32 received[FAB_CLASSES];
	u32 held[FAB_CLASSES];       /* in the buffer */
	u32 advertised[FAB_CLASSES]; /* FCCL, as last sent */
};

/* Content of a flow control frame: classes to pause and to resume, or the credits of one class. */
struct fc_note {
	u8 pause, resume;
	u8 credit; /* 1: credits */
	u8 class;
	u32 fctbs, fccl;
};
_Static_assert(sizeof(struct fc_note) == 12, "struct fc_note");

/* sched=wrr: weighted round-robin between the classes of an output, see arbiter_class_wrr(). */
struct wrr {
	s32 left[FAB_CLASSES]; /* what is left of each quantum, bytes on the wire; below 0: overdrawn */
	u32 at;                /* the class being served */
};

/* Fixed for the run, set before the first window. */
struct port_cfg {
	u32 sw;   /* switch number */
	u32 peer; /* the far end: lab-wide port number, or host number with PEER_HOST */
	u32 ps_per_byte;
	u32 arrq_base;    /* this port's part of the arrival queues, free rings alike */
	u32 arrq_mask;    /* its size - 1 */
	u32 loss_in;      /* probability x 2^32 that an arriving frame is lost on the wire */
	u32 loss_out;     /* the same for departing frames; only towards hosts */
	u32 free_size[2]; /* free slots held ready for what a host may send in a window: small, large */
	u32 peer_node;    /* the far end's node: switch number, or n_switches + host number */
	u32 xoff, xon;    /* PFC thresholds of this input port, per class */
	u32 tap;          /* 1: arrivals are shown to packet sockets */
	u32 number;       /* this port's lab-wide number */
	u64 delay;
	u32 headroom; /* buffer_mode=shared: of each class under PFC, bytes */
	u32 pad;
};
#define PEER_HOST 0x80000000U
_Static_assert(sizeof(struct port_cfg) == 72, "struct port_cfg");

/* Free-running counters of a port. */
struct port_stats {
	u64 rx_frames, rx_bytes; /* arrivals handled, PFC not counted */
	u64 tx_frames, tx_bytes; /* departures, PFC not counted */
	u64 rx_data, tx_data;    /* those of them that carry payload */
	u64 drops[FAB_DROPS];
	u64 lost_out_frames; /* of drops[LOSS]: lost after departure, towards a host */
	u64 ecn_marks;
	u64 pause_tx, resume_tx, pause_rx, resume_rx;
	u64 max_queue, max_buffer;
	u64 draws;                                                    /* random numbers drawn */
	u64 corrupted;                                                /* departures with a bit changed by a fault */
	u64 marks[FAB_MARKS];                                         /* ecn_marks by cause */
	u64 class_pause_tx[FAB_CLASSES], class_pause_rx[FAB_CLASSES]; /* PAUSE of a class; a frame may have several */
	u64 data_drops[FAB_DROPS];                                    /* those of drops that carry payload */
};

/* Faults of a port, set by the conductor between two windows (bpf/port_fault.h). All 0: none. */
struct port_fault {
	u64 cut;     /* when the link last went down: what was on it then never arrives; 0: never */
	u32 drop;    /* probability x 2^32 that an arriving frame is dropped */
	u32 corrupt; /* the same that a departing frame has a bit changed */
	u32 draws;   /* random numbers drawn for these */
	u8 down;     /* 1: the link is down */
	u8 drain;    /* classes whose frames are dropped instead of sent */
	u8 storm;    /* classes for which the sender upstream stays paused, whatever the buffer holds */
	u8 pad;
};
_Static_assert(sizeof(struct port_fault) == 24, "struct port_fault");

/* An output's PFC watchdog, see bpf/watchdog.h. Times are 0 where there is none. */
struct watchdog {
	u64 next;               /* its next check; beside struct port_fault, which every event reads too */
	u64 since[FAB_CLASSES]; /* when the pause began that has lasted until now */
	u64 end[FAB_CLASSES];   /* of stopped classes: when the last PAUSE, which is ignored, would run out */
	u64 hits;               /* times that it has stopped a class */
	u64 stopped;            /* classes */
};
_Static_assert(sizeof(struct watchdog) == 152, "struct watchdog");

/* One port of a switch: the input side and the output side. */
struct port {
	struct port_cfg cfg;
	/* input */
	u64 arr_key;          /* key of the first frame in the arrival queue, or KEY_NEVER */
	u32 arrq_head;        /* arrivals taken, free-running */
	u32 free_tail[2];     /* slots given to ingress, free-running */
	u8 xoff;              /* classes for which the sender upstream is to pause */
	u8 pfc_pending;       /* classes whose pause state, or credits, are to be sent */
	u8 busy_classes;      /* output: classes that have frames to send; behind a crossbar, those that have crossed */
	u8 advertised;        /* classes for which the last frame sent upstream was a PAUSE */
	u32 occ[FAB_CLASSES]; /* buffer occupancy, bytes */
	u64 refresh[FAB_CLASSES]; /* when to repeat a PAUSE, or TIME_NEVER */
	/* output */
	u64 busy_until;
	struct pause_state pause;
	u64 inputs[FAB_CLASSES]; /* inputs where the first frame of a queue is for this output */
	u64 queue[FAB_CLASSES];  /* bytes that wait for this output, all told */
	u8 turn[FAB_CLASSES];    /* round-robin pointer: the input to look at first */
	/* what this window's list holds for the link */
	u32 chunk;      /* last chunk of the emission list with a frame of ours */
	u32 chunk_used; /* frames in it */
	u64 wire_tx;    /* frames put on the emission list for this link, PFC included */
	struct port_stats stats;
	struct port_fault fault;
	struct watchdog watchdog;
	/* used by some configurations only; kept apart for the cache */
	struct buffer_use use[FAB_CLASSES]; /* buffer_mode=shared: of which kind of memory */
	struct credit_rx credit_rx;         /* fc=credit */
	u64 full[FAB_CLASSES];              /* ecn=ib: frames of this buffer are marked up to this order */
	struct wrr wrr;
	u64 root[FAB_CLASSES];      /* ecn=ib: frames for this output are marked up to this order */
	struct credit_tx credit_tx; /* fc=credit */
	/* arbiter=islip: bpf/crossbar.h */
	u64 grants[FAB_CLASSES]; /* input: outputs that grant it, in an iteration */
	u32 staged[FAB_CLASSES]; /* output: bytes that have crossed and are not sent yet */
	u8 accept[FAB_CLASSES];  /* input: the accept pointer; an output's grant pointer is turn[] */
	u8 match_in;             /* output: whom it is matched with in this slot */
	u8 match_class;
	u8 pad[6];
};
_Static_assert(sizeof(struct port) % 8 == 0, "struct port");

/* One switch. */
struct sw {
	u32 port_base; /* its first port's lab-wide number */
	u32 n_ports;
	u32 voq_base;    /* its first queue: see voq_input() */
	u32 ps_per_byte; /* of its fastest port */
	u64 seed;        /* for ECMP */
	u64 clock;       /* time of the last event */
	u64 events;
	u64 queued;              /* frames put into VOQs since the start */
	struct buffer_pool pool; /* buffer_mode=shared */
	u64 slot_key;            /* arbiter=islip: when the next slot begins, or KEY_NEVER */
	u64 slot_end;            /* the present one's end */
	u64 free_in;             /* inputs that are not matched in this slot */
	u64 matched;             /* outputs that are */
	u32 slot_bytes;          /* that cross in it, to each of them */
	u32 pad;
	u64 best; /* the least key; in memory, not a register: see sw_next() */
	u64 best_port;
	u64 key[FAB_PORTS]; /* the next event of each port */
};

/*
 * Where the queues of switch @s stand. The one of @class in which frames wait that came in at @in and go out at @out;
 * with @fifo, one queue per input and class, whatever the output.
 */
static inline u32 voq_input(const struct sw *s, u32 fifo, u32 out, u32 in, u32 class)
{
	return s->voq_base + ((fifo ? 0 : out) * s->n_ports + in) * FAB_CLASSES + class;
}

/* The one of frames that have crossed to output @out (arbiter=islip), behind all those. */
static inline u32 voq_output(const struct sw *s, u32 out, u32 class)
{
	return s->voq_base + (s->n_ports * s->n_ports + out) * FAB_CLASSES + class;
}

/* The conductor's view of a node's next events. */
struct node_cell {
	u64 next;     /* its own next event, known when it was last advanced */
	u64 arrival;  /* earliest arrival sent to it in this window */
	u64 rx_total; /* host: frames sent to it since the start */
};

/* One departure of this window. */
struct emission {
	u64 arrival; /* at the far end */
	u32 frame;   /* slot, or FAB_NONE for a flow control frame */
	u32 port;    /* lab-wide output port */
	u16 len;
	u8 flags; /* frame_flags */
	u8 pad;
	struct fc_note note; /* what a flow control frame says */
};
_Static_assert(sizeof(struct emission) == 32, "struct emission");

#define FAB_CHUNKS 4096     /* chunks of one window's emission list */
#define FAB_CHUNK_FRAMES 96 /* frames of one link in a chunk: the veth ring holds 256 */

/* Settings of a run that the decisions read. */
struct fab_cfg {
	u64 seed;
	u32 n_hosts;
	u32 buffer; /* of a port and class; shared: of a switch */
	u32 quanta;
	u32 kmin, kmax;
	u32 pmax;          /* probability x 2^32 */
	u8 pfc;            /* classes under PFC */
	u8 ecn;            /* enum fab_ecn */
	u8 wrr;            /* 1: weighted round-robin between classes; 0: strict priority */
	u8 shared;         /* 1: a switch's ports share its buffer; 0: each has its own */
	u32 iterations;    /* arbiter=islip: per slot, 1..XBAR_ITERATIONS; 0: arbiter=rr */
	u32 speedup;       /* of the crossbar, in hundredths */
	u32 output_buffer; /* bytes of a class that wait behind the crossbar before the output takes no more */
	u32 fifo;          /* 1: one queue per input and class instead of VOQs */
	u32 credits,
		credit_step; /* fc=credit: blocks of a port's and class's buffer, and between two updates; 0: off */
	u32 alpha, reserve;  /* buffer_mode=shared: bpf/buffer.h */
	u32 wrr_quantum[FAB_CLASSES]; /* bytes on the wire per round; at least the longest frame's */
	u32 frame_max;                /* bytes of the longest frame */
	u32 n_small;                  /* frames 0..n_small-1 have small slots, the others large ones */
	u32 slot_large;               /* bytes of a large slot, SLOT_SMALL < slot_large <= SLOT_LARGE */
	u64 watchdog;                 /* detection time of the PFC watchdog, ps; 0: there is none */
	u64 restore;                  /* its restoration time, ps */
};

enum fab_error {
	FAB_OK,
	FAB_LATE,      /* a frame's stamp is older than the node's clock */
	FAB_NO_SLOT,   /* the pool of frame slots is empty */
	FAB_LIST_FULL, /* the emission list is full */
	FAB_CREDITS,   /* fc=credit: the ends of a link disagree, or a frame found no room: a bug */
	FAB_INTERNAL,  /* an index out of bounds: a bug */
};

/* The state of advance and emit as a whole. */
struct fab_state {
	u64 until;   /* end of the window being advanced */
	u32 n_emit;  /* emission list: entries */
	u32 emitted; /* of them, written out */
	u32 n_chunks;
	u32 chunk;                 /* free-running number of the chunk being filled */
	u32 chunk_end[FAB_CHUNKS]; /* entries before the end of each chunk */
	u32 error;                 /* enum fab_error */
	u32 error_port;
	u32 free_top[2]; /* stack of free slots, small and large */
	u32 n_todo;      /* switches on the work list */
	u32 pad;
};

#endif
