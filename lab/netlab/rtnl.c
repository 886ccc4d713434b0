// SPDX-License-Identifier: GPL-2.0-or-later
/* rtnetlink over libmnl, in batches: one ACK ends each batch, and an error names its request. */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <libmnl/libmnl.h>

#include "lab/netlab/rtnl.h"

#define REQUEST_MAX 512 /* bytes; the largest, a veth pair, takes 260 */

int rtnl_open(struct rtnl *r)
{
	int on = 1, ret;

	r->n = 0;
	r->used = 0;
	r->failed = 0;
	r->why[0] = '\0';
	r->seq = (u32)time(NULL);
	r->sk = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!r->sk)
		return -errno;
	if (mnl_socket_bind(r->sk, 0, MNL_SOCKET_AUTOPID) < 0) {
		ret = -errno;
		rtnl_close(r);
		return ret;
	}
	/* Kernels without these options still reply, with less detail. */
	mnl_socket_setsockopt(r->sk, NETLINK_CAP_ACK, &on, sizeof(on));
	mnl_socket_setsockopt(r->sk, NETLINK_EXT_ACK, &on, sizeof(on));
	return 0;
}

void rtnl_close(struct rtnl *r)
{
	if (r->sk)
		mnl_socket_close(r->sk);
	r->sk = NULL;
}

/* Space for one more request, zeroed; or NULL and -errno in *ret. */
static struct nlmsghdr *request_begin(struct rtnl *r, u16 type, u16 flags, u32 cookie, int *ret)
{
	struct nlmsghdr *nlh;

	*ret = 0;
	if (r->n == RTNL_BATCH || r->used + REQUEST_MAX > sizeof(r->buf)) {
		*ret = rtnl_flush(r);
		if (*ret)
			return NULL;
	}
	nlh = mnl_nlmsg_put_header(r->buf + r->used);
	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = ++r->seq;
	if (!r->n)
		r->first = r->seq;
	r->cookie[r->n++] = cookie;
	return nlh;
}

static void request_end(struct rtnl *r, const struct nlmsghdr *nlh)
{
	r->used += MNL_ALIGN(nlh->nlmsg_len);
}

static void put_end(struct nlmsghdr *nlh, const struct rtnl_end *e, u32 mtu)
{
	mnl_attr_put_strz(nlh, IFLA_IFNAME, e->ifname);
	mnl_attr_put_u32(nlh, IFLA_NET_NS_FD, (u32)e->ns_fd);
	mnl_attr_put_u32(nlh, IFLA_MTU, mtu);
	mnl_attr_put(nlh, IFLA_ADDRESS, sizeof(e->mac), e->mac);
	mnl_attr_put_u32(nlh, IFLA_NUM_TX_QUEUES, 1);
	mnl_attr_put_u32(nlh, IFLA_NUM_RX_QUEUES, 1);
}

int rtnl_veth(struct rtnl *r, const struct rtnl_end end[2], u32 mtu, u32 cookie)
{
	struct nlattr *info, *data, *peer;
	struct ifinfomsg *ifi;
	struct nlmsghdr *nlh;
	int ret;

	nlh = request_begin(r, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, cookie, &ret);
	if (!nlh)
		return ret;
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = (int)end[0].ifindex;
	ifi->ifi_flags = IFF_UP;
	ifi->ifi_change = IFF_UP;
	put_end(nlh, &end[0], mtu);

	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "veth");
	data = mnl_attr_nest_start(nlh, IFLA_INFO_DATA);
	peer = mnl_attr_nest_start(nlh, VETH_INFO_PEER);
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = (int)end[1].ifindex;
	put_end(nlh, &end[1], mtu);
	mnl_attr_nest_end(nlh, peer);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, info);
	request_end(r, nlh);
	return 0;
}

int rtnl_set_up(struct rtnl *r, u32 ifindex, u32 cookie)
{
	struct ifinfomsg *ifi;
	struct nlmsghdr *nlh;
	int ret;

	nlh = request_begin(r, RTM_NEWLINK, 0, cookie, &ret);
	if (!nlh)
		return ret;
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = (int)ifindex;
	ifi->ifi_flags = IFF_UP;
	ifi->ifi_change = IFF_UP;
	request_end(r, nlh);
	return 0;
}

int rtnl_addr(struct rtnl *r, u32 ifindex, u32 addr, u32 prefix, u32 cookie)
{
	struct ifaddrmsg *ifa;
	struct nlmsghdr *nlh;
	int ret;

	nlh = request_begin(r, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, cookie, &ret);
	if (!nlh)
		return ret;
	ifa = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifa));
	ifa->ifa_family = AF_INET;
	ifa->ifa_prefixlen = (u8)prefix;
	ifa->ifa_scope = RT_SCOPE_UNIVERSE;
	ifa->ifa_index = ifindex;
	mnl_attr_put_u32(nlh, IFA_LOCAL, htonl(addr));
	mnl_attr_put_u32(nlh, IFA_ADDRESS, htonl(addr));
	request_end(r, nlh);
	return 0;
}

/* What the kernel says about a failure, in the attributes that begin @off bytes into the reply; or @otherwise. */
static const char *kernel_words(const struct nlmsghdr *nlh, size_t off, const char *otherwise)
{
	const struct nlattr *attr = mnl_nlmsg_get_payload_offset(nlh, off);
	const char *end = mnl_nlmsg_get_payload_tail(nlh);

	for (; mnl_attr_ok(attr, (int)(end - (const char *)attr)); attr = mnl_attr_next(attr))
		if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG && !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
			return mnl_attr_get_str(attr);
	return otherwise;
}

/* The kernel's message about a failure, or strerror()'s. */
static void note_failure(struct rtnl *r, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);
	const char *why = strerror(-e->error);
	size_t off = sizeof(*e);

	/* The request is echoed in full unless the kernel took NETLINK_CAP_ACK. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		off += mnl_nlmsg_get_payload_len(&e->msg);
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		why = kernel_words(nlh, off, why);
	r->failed = r->cookie[nlh->nlmsg_seq - r->first];
	strncpy(r->why, why, sizeof(r->why) - 1);
	r->why[sizeof(r->why) - 1] = '\0';
}

/* Read one datagram of replies. *last is set at the reply to the batch's last request. */
static int read_answers(struct rtnl *r, int *first_error, bool *last)
{
	char buf[8192] __attribute__((aligned(8)));
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buf;
	ssize_t got = mnl_socket_recvfrom(r->sk, buf, sizeof(buf));
	int len = (int)got;

	if (got < 0)
		return errno == EINTR ? 0 : -errno;
	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		const struct nlmsgerr *e = mnl_nlmsg_get_payload(nlh);

		if (nlh->nlmsg_type != NLMSG_ERROR || mnl_nlmsg_get_payload_len(nlh) < sizeof(*e))
			continue;
		if (nlh->nlmsg_seq - r->first >= r->n)
			continue;
		if (e->error && !*first_error) {
			*first_error = e->error;
			note_failure(r, nlh);
		}
		if (nlh->nlmsg_seq == r->seq)
			*last = true;
	}
	return 0;
}

int rtnl_flush(struct rtnl *r)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)r->buf;
	int first_error = 0, ret = 0;
	bool last = false;
	u32 i;

	if (!r->n)
		return 0;
	/* The kernel works through a batch in order and always reports errors, so the ACK of the last request covers
	 * all. */
	for (i = 1; i < r->n; i++)
		nlh = (struct nlmsghdr *)((char *)nlh + MNL_ALIGN(nlh->nlmsg_len));
	nlh->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(r->sk, r->buf, r->used) < 0)
		ret = -errno;
	while (!ret && !last)
		ret = read_answers(r, &first_error, &last);
	if (ret) {
		r->failed = r->cookie[0];
		strncpy(r->why, strerror(-ret), sizeof(r->why) - 1);
	}
	r->n = 0;
	r->used = 0;
	return ret ? ret : first_error;
}
