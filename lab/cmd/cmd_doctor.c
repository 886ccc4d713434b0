// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * losslab doctor: what this system can do. Each probe does what a run does, and never looks at a version. The probes
 * run in a child process, in a network namespace that ends with it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <jansson.h>

#include "lab/cmd/cmd.h"
#include "lab/netlab/caps.h"
#include "lab/netlab/netlab.h"
#include "lab/netlab/netns.h"
#include "lab/netlab/rtnl.h"

#define PROBE_IFINDEX 4711
#define RING_BYTES (1 << 20) /* of a host's packet ring */
#define RING_FRAME 4096
#define MAP_BYTES (64 << 20) /* the switches' frame pools of a fabric of medium size */
#define OPEN_FILES 4096      /* hard limit: fat-tree k=16 has 1345 namespaces */

/* Load a program that returns a constant. */
static int load_return(enum bpf_prog_type type, int value, __u32 flags)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = flags);
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = value },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(type, "probe", "GPL", insns, 2, &opts);
}

/* Each probe returns 0 or -errno. They run in order, in one namespace; later ones use what earlier ones made. */
static int probe_caps(void)
{
	char text[160];

	return geteuid() || caps_missing(CAPS_RUN, text, sizeof(text)) ? -EPERM : 0;
}

static int probe_netns(void)
{
	return unshare(CLONE_NEWNET) ? -errno : 0;
}

/* Naming and removing namespaces takes unnamed files that can be linked, and a view below mounts. Leaves nothing. */
static int probe_names(void)
{
	const char *dir = access(NETNS_DIR, F_OK) ? "/run" : NETNS_DIR;
	int fd;

	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0444);
	if (fd < 0)
		return -errno;
	close(fd);
	fd = (int)syscall(SYS_open_tree, AT_FDCWD, dir, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int probe_veth(void)
{
	int ns = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), ret;
	struct rtnl_end end[2] = {
		{ ns, PROBE_IFINDEX, "probe0", { 2, 3, 0, 0, 0, 0 } },
		{ ns, PROBE_IFINDEX + 1, "probe1", { 2, 3, 0, 0, 0, 1 } },
	};
	struct rtnl *r = calloc(1, sizeof(*r));

	ret = ns < 0 ? -errno : r ? rtnl_open(r) : -ENOMEM;
	if (!ret) {
		ret = rtnl_veth(r, end, LAB_MTU, 0);
		if (!ret)
			ret = rtnl_set_up(r, PROBE_IFINDEX + 1, 0);
		if (!ret)
			ret = rtnl_flush(r);
		rtnl_close(r);
	}
	free(r);
	if (ns >= 0)
		close(ns);
	if (!ret && if_nametoindex("probe1") != PROBE_IFINDEX + 1)
		ret = -EOPNOTSUPP;
	return ret;
}

static int probe_syscall(void)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int fd = load_return(BPF_PROG_TYPE_SYSCALL, 7, BPF_F_SLEEPABLE), ret;

	if (fd < 0)
		return fd;
	ret = bpf_prog_test_run_opts(fd, &opts);
	close(fd);
	return ret ? ret : opts.retval == 7 ? 0 : -EOPNOTSUPP;
}

static int helper(enum bpf_prog_type type, enum bpf_func_id id)
{
	int ret = libbpf_probe_bpf_helper(type, id, NULL);

	return ret == 1 ? 0 : ret ? ret : -EOPNOTSUPP;
}

static int probe_loop(void)
{
	return helper(BPF_PROG_TYPE_SYSCALL, BPF_FUNC_loop);
}

static int probe_xdp_bytes(void)
{
	int ret = helper(BPF_PROG_TYPE_XDP, BPF_FUNC_xdp_load_bytes);

	return ret ? ret : helper(BPF_PROG_TYPE_XDP, BPF_FUNC_xdp_store_bytes);
}

static int probe_xdp(void)
{
	int fd = load_return(BPF_PROG_TYPE_XDP, XDP_PASS, 0), ret;

	if (fd < 0)
		return fd;
	ret = bpf_xdp_attach(PROBE_IFINDEX, fd, XDP_FLAGS_DRV_MODE, NULL);
	if (!ret)
		bpf_xdp_detach(PROBE_IFINDEX, XDP_FLAGS_DRV_MODE, NULL);
	close(fd);
	return ret;
}

static int probe_live_frames(void)
{
	char frame[ETH_ZLEN] = { 0 };
	struct xdp_md ctx = { .data_end = sizeof(frame) };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame), .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx), .repeat = 1, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	int fd = load_return(BPF_PROG_TYPE_XDP, XDP_DROP, 0), ret;

	if (fd < 0)
		return fd;
	ret = bpf_prog_test_run_opts(fd, &opts);
	close(fd);
	return ret;
}

static int probe_devmap(void)
{
	int fd = bpf_map_create(BPF_MAP_TYPE_DEVMAP, "probe", sizeof(u32), sizeof(u32), 4, NULL), ret;
	u32 key = 0, ifindex = PROBE_IFINDEX;

	if (fd < 0)
		return fd;
	ret = bpf_map_update_elem(fd, &key, &ifindex, BPF_ANY);
	close(fd);
	return ret;
}

static int probe_tc(void)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = PROBE_IFINDEX, .attach_point = BPF_TC_INGRESS);
	int fd = load_return(BPF_PROG_TYPE_SCHED_CLS, 0, 0), ret;
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fd);

	if (fd < 0)
		return fd;
	ret = bpf_tc_hook_create(&hook);
	if (!ret)
		ret = bpf_tc_attach(&hook, &opts);
	close(fd);
	return ret;
}

static int probe_packet(void)
{
	struct tpacket_req req = { RING_FRAME, RING_BYTES / RING_FRAME, RING_FRAME, RING_BYTES / RING_FRAME };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL)), ret = 0;
	int version = TPACKET_V2, on = 1;
	void *ring;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req))) {
		ret = -errno;
	} else {
		ring = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (ring == MAP_FAILED)
			ret = -errno;
		else
			munmap(ring, RING_BYTES);
	}
	close(fd);
	return ret;
}

static int probe_big_map(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "probe", sizeof(u32), 4096, MAP_BYTES / 4096, &opts);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int probe_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return -errno;
	if (l.rlim_max >= OPEN_FILES)
		return 0;
	l.rlim_cur = l.rlim_max = OPEN_FILES;
	return setrlimit(RLIMIT_NOFILE, &l) ? -errno : 0;
}

static const struct probe {
	const char *what;
	int (*run)(void);
	const char *remedy;
} probes[] = {
	{ "privileges: root with SYS_ADMIN, NET_ADMIN, BPF, NET_RAW", probe_caps, "run with sudo" },
	{ "network namespaces can be made", probe_netns, "run with sudo, on a kernel with CONFIG_NET_NS" },
	{ "namespaces can be named under /run/netns", probe_names, "a tmpfs on /run (O_TMPFILE), and open_tree()" },
	{ "veth pairs with a set ifindex", probe_veth, "modprobe veth, or a kernel with CONFIG_VETH" },
	{ "BPF syscall programs load and run", probe_syscall, "a kernel with CONFIG_BPF_SYSCALL, 5.14 or newer" },
	{ "BPF helper bpf_loop", probe_loop, "a kernel of 5.17 or newer" },
	{ "BPF helpers xdp_load_bytes, xdp_store_bytes", probe_xdp_bytes, "a kernel of 5.18 or newer" },
	{ "XDP on veth, natively", probe_xdp, "a kernel with veth's own XDP, 4.19 or newer" },
	{ "XDP programs run on live frames", probe_live_frames, "a kernel of 5.18 or newer" },
	{ "BPF devmap", probe_devmap, "a kernel with CONFIG_BPF_SYSCALL and CONFIG_NET" },
	{ "TC programs on ingress (clsact, cls_bpf)", probe_tc,
	  "CONFIG_NET_SCH_INGRESS, CONFIG_NET_CLS_BPF, CONFIG_NET_CLS_ACT" },
	{ "packet sockets with a mapped ring (TPACKET_V2)", probe_packet,
	  "modprobe af_packet, or a kernel with CONFIG_PACKET" },
	{ "BPF maps of 64 MB", probe_big_map, "more memory, or a higher RLIMIT_MEMLOCK (ulimit -l unlimited)" },
	{ "4096 open files", probe_files, "raise the hard limit (ulimit -Hn 4096)" },
};
#define N_PROBES (sizeof(probes) / sizeof(probes[0]))

/* In the child. The answers go to shared memory, so that a crash loses only the probes that did not run. */
static void __attribute__((noreturn)) run_probes(int *answer)
{
	size_t i;

	libbpf_set_print(NULL);
	for (i = 0; i < N_PROBES; i++) {
		answer[i] = probes[i].run();
		/* Without a namespace of its own no later probe may touch an interface. */
		if (probes[i].run == probe_netns && answer[i])
			break;
	}
	_exit(0);
}

/* -errno, or 0, for each probe; those never reached stay at -ECANCELED. */
static int *ask(void)
{
	int *answer = mmap(NULL, sizeof(int) * N_PROBES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	size_t i;
	pid_t pid;

	if (answer == MAP_FAILED)
		return NULL;
	for (i = 0; i < N_PROBES; i++)
		answer[i] = -ECANCELED;
	pid = fork();
	if (!pid)
		run_probes(answer);
	if (pid < 0)
		return NULL;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return answer;
}

static void print_json(const int *answer, bool ok)
{
	json_t *checks = json_array(), *root;
	size_t i;

	for (i = 0; i < N_PROBES; i++)
		json_array_append_new(checks,
				      json_pack("{s:s, s:b, s:s, s:s}", "what", probes[i].what, "ok", !answer[i],
						"error", answer[i] ? strerror(-answer[i]) : "", "remedy",
						answer[i] ? probes[i].remedy : ""));
	root = json_pack("{s:b, s:b, s:s, s:o}", "kernel_engine", ok, "twin_engine", 1, "libbpf",
			 libbpf_version_string(), "checks", checks);
	json_dumpf(root, stdout, JSON_INDENT(1));
	printf("\n");
	json_decref(root);
}

static void print_missing(size_t i, int error)
{
	char line[512], caps[160];

	if (probes[i].run == probe_caps && !geteuid() && caps_missing(CAPS_RUN, caps, sizeof(caps)))
		snprintf(line, sizeof(line), "MISSING  %s: %s not there: run with sudo, or grant to the container",
			 probes[i].what, caps);
	else
		snprintf(line, sizeof(line), "MISSING  %s: %s: %s", probes[i].what, strerror(-error), probes[i].remedy);
	cmd_wrap(stdout, 0, 9, line);
}

static void print_text(const int *answer, bool ok)
{
	char caps[160];
	size_t i;

	for (i = 0; i < N_PROBES; i++) {
		if (!answer[i])
			printf("ok       %s\n", probes[i].what);
		else if (answer[i] == -ECANCELED)
			printf("unknown  %s: needs root to find out\n", probes[i].what);
		else
			print_missing(i, answer[i]);
	}
	if (caps_missing(CAPS_EXTRA, caps, sizeof(caps)))
		printf("optional %s: missing; large labs may need them\n", caps);
	printf("ok       libbpf %s\n", libbpf_version_string());
	printf("ok       twin engine: needs no root and no kernel feature\n");
	if (!ok)
		printf("The kernel engine cannot run here; the twin works: losslab run --engine twin\n");
}

static int run_doctor(const struct cmd *cmd, int argc, char **argv)
{
	bool json = false, ok = true;
	int c, code, *answer;
	size_t i;

	while ((c = cmd_getopt(cmd, argc, argv, &code)) != -1) {
		if (c != CMD_JSON)
			return code;
		json = true;
	}
	if (optind < argc)
		return cmd_extra(cmd, argv[optind]);
	fflush(stdout);
	answer = ask();
	if (!answer)
		return cmd_fail(EXIT_SYSTEM, "doctor: probes: cannot be started: %s", strerror(errno));
	for (i = 0; i < N_PROBES; i++)
		ok = ok && !answer[i];
	if (json)
		print_json(answer, ok);
	else
		print_text(answer, ok);
	return ok ? EXIT_DONE : EXIT_SYSTEM;
}

static const struct cmd_option options[] = {
	{ CMD_JSON, "json", NULL, "for programs" },
	{ 0 },
};

const struct cmd cmd_doctor = {
	.name = "doctor",
	.usage = "[--json]",
	.help = "check what this system can do",
	.options = options,
	.notes = "Exit code 3 if something is missing that the kernel engine needs. It works as uid 0 with "
		 "CAP_SYS_ADMIN, "
		 "CAP_NET_ADMIN, CAP_BPF and CAP_NET_RAW; CAP_SYS_RESOURCE and CAP_SYS_NICE are optional.",
	.run = run_doctor,
};
