// SPDX-License-Identifier: GPL-2.0-or-later
/* The registries of congestion controls and loss recoveries, whatever is in them: every row is complete and sane. */
#include "tests/unit/cfg_words.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/algorithms.h"

#define LINE_PS 200 /* 40 Gb/s */

static void find__names(void **state)
{
	for (u32 i = 0; cc_at(i); i++)
		assert_ptr_equal(cc_find(cc_at(i)->name), cc_at(i));
	for (u32 i = 0; recovery_at(i); i++)
		assert_ptr_equal(recovery_find(recovery_at(i)->name), recovery_at(i));
	assert_null(cc_find("none"));
	assert_null(cc_find("dcqc"));
	assert_null(recovery_find("gbn"));
	assert_null(recovery_find(""));
}

/* One line, without what would break a table. */
static void assert_line(const char *text)
{
	assert_true(text && *text && strlen(text) <= 62 && !strpbrk(text, "\n\t"));
}

/* A name fits its member of struct run_cfg, and the list that messages print. */
static void assert_name(const char *name)
{
	assert_true(name && *name && strlen(name) < sizeof(((struct run_cfg *)0)->cc));
	assert_null(strpbrk(name, "|= #,"));
}

static void ops__complete(void **state)
{
	for (u32 i = 0; cc_at(i); i++) {
		const struct cc_ops *o = cc_at(i);

		assert_name(o->name);
		assert_line(o->what);
		assert_true(o->open && o->sent && o->rate);
		assert_true(!(o->cnp || o->echo) || o->notified); /* who asks for marks hears of them */
		assert_true(!o->echo || o->acked);
		assert_int_equal(o->cnp || o->echo, o->marking != ECN_OFF); /* and says which */
	}
	for (u32 i = 0; recovery_at(i); i++) {
		const struct recovery_ops *o = recovery_at(i);

		assert_name(o->name);
		assert_line(o->what);
		assert_true(o->resolve && o->open && o->wants && o->transmit && o->acked && o->timeout && o->rto);
		assert_true(o->receive && !o->host_new == !o->host_free);
		assert_true(o->rewind || o->format == FORMAT_TCP);
		assert_true((o->format == FORMAT_TCP) == (o->acks == ACK_TCP));
		assert_true(o->most || o->acks_each); /* with few ACKs the last packet in flight asks for one */
	}
}

/* @size: of struct cc_params or struct recovery_params. */
static void check_row(const struct param *p, size_t size)
{
	u64 most = p->divisor ? p->max / p->divisor : p->max;

	assert_non_null(p->name);
	assert_true(p->off + p->size <= size);
	assert_true(p->size == sizeof(bool) || p->size == sizeof(u32) || p->size == sizeof(u64));
	assert_int_equal(p->off % p->size, 0);
	assert_true(p->def && *p->def && p->help && *p->help);
	assert_true(p->help[strlen(p->help) - 1] != '.');
	if (p->kind == PARAM_WORD) {
		assert_non_null(p->words);
		assert_true(p->size != sizeof(bool) || (p->words[0] && p->words[1] && !p->words[2]));
	} else {
		assert_true(p->min <= p->max && !p->words);
		assert_true(p->size == sizeof(u64) || (p->size == sizeof(u32) && most <= ~0U));
		assert_true(!p->special.word || p->special.value < p->min || p->special.value > p->max);
		assert_true(!p->step || (p->min % p->step == 0 && p->max % p->step == 0));
		assert_true(!p->divisor || p->step % p->divisor == 0);
	}
	for (u32 i = 0; i < 2; i++) {
		const char *other = i ? p->below : p->at_most;

		assert_true(!other || cfg_key_number(other) >= 0);
	}
}

/* Rows of one name are one key. */
static void assert_same_key(const struct param *a, const struct param *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_true(a->min == b->min && a->max == b->max && a->step == b->step);
	assert_int_equal(!a->special.word, !b->special.word);
	if (a->special.word) {
		assert_string_equal(a->special.word, b->special.word);
		assert_true(a->special.value == b->special.value);
	}
	assert_ptr_equal(a->words, b->words);
	assert_string_equal(a->def, b->def);
	assert_string_equal(a->help, b->help);
	assert_int_equal(a->advanced, b->advanced);
}

static const struct param *first_of(const char *name)
{
	for (u32 i = 0; cfg_alg_key(i); i++)
		if (!strcmp(cfg_alg_param(i)->name, name))
			return cfg_alg_param(i);
	return NULL;
}

static void check_table(const struct param_table *t, size_t size)
{
	for (u32 i = 0; i < t->n; i++) {
		const struct param *first = first_of(t->rows[i].name);

		check_row(&t->rows[i], size);
		assert_non_null(first);
		assert_same_key(first, &t->rows[i]);
		for (u32 k = 0; k < i; k++)
			assert_string_not_equal(t->rows[i].name, t->rows[k].name);
	}
}

static void tables__sane(void **state)
{
	for (u32 i = 0; cc_at(i); i++) {
		check_table(&cc_at(i)->params, sizeof(struct cc_params));
		assert_true(!cc_at(i)->ack_limit || cfg_key_number(cc_at(i)->ack_limit) >= 0);
	}
	for (u32 i = 0; recovery_at(i); i++)
		check_table(&recovery_at(i)->params, sizeof(struct recovery_params));
}

/* No key stands twice, also not one of an algorithm and one of all. */
static void keys__unique(void **state)
{
	u32 n = 0;

	for (; cfg_key(n); n++)
		assert_int_equal(cfg_key_number(cfg_key(n)->name), n);
	assert_true(n <= CFG_KEYS_MAX);
}

/* Each algorithm accepts its keys' defaults given by name, and other algorithms' keys only at their defaults. */
static void keys__accepted(void **state)
{
	for (u32 i = 0; cfg_alg_key(i); i++) {
		const struct cfg_key *k = cfg_alg_key(i);
		char users[160], word[64];

		snprintf(word, sizeof(word), "%s=%s", k->name, k->def);
		cfg_alg_users(i, users, sizeof(users));
		for (u32 a = 0; !strcmp(cfg_alg_chooser(i), "cc") ? cc_at(a) != NULL : recovery_at(a) != NULL; a++) {
			const char *name = !strcmp(cfg_alg_chooser(i), "cc") ? cc_at(a)->name : recovery_at(a)->name;
			char choice[64];

			snprintf(choice, sizeof(choice), "%s=%s", cfg_alg_chooser(i), name);
			finish(SET(choice, word));
		}
		assert_true(*users);
	}
}

/* What is "auto" has become a number: a lone sender starts at the line rate, and a CNP interval is one. */
static void resolve__defaults(void **state)
{
	for (u32 t = 0; recovery_at(t); t++) {
		for (u32 c = 0; cc_name(c); c++) {
			struct nic_params p = { .ps_per_byte = LINE_PS, .rules.mtu = 1000 };
			struct cc cc = { .par = &p.cc };

			algorithms_set(&p, recovery_at(t)->name, cc_name(c), 100, NULL);
			assert_true(p.recovery.cap >= 1 && p.recovery.rto_low &&
				    p.recovery.rto_high >= p.recovery.rto_low);
			if (p.cc_ops) {
				assert_int_equal(p.cc_ops->open(&cc), 0);
				assert_true(p.cc_ops->rate(&cc, 0) == p.cc.line);
				assert_true(!p.cc_ops->cnp || p.cc.cnp_interval);
				assert_true(!p.cc_ops->window || p.cc_ops->window(&cc) >= 1);
				free(cc.mem);
			}
		}
	}
}

/* Told of a loss, a congestion control sends less: a lower rate, or a smaller window. */
static void lost__less(void **state)
{
	u32 some = 0;

	for (u32 i = 0; cc_at(i); i++) {
		struct nic_params p = { .ps_per_byte = LINE_PS, .rules.mtu = 1000 };
		struct cc cc = { .par = &p.cc };
		u32 window;

		algorithms_set(&p, "roce", cc_at(i)->name, 100, NULL);
		if (cc_at(i)->lost) {
			assert_true(p.recovery.cc_backs_off);
			assert_int_equal(p.cc_ops->open(&cc), 0);
			window = p.cc_ops->window ? p.cc_ops->window(&cc) : 0;
			p.cc_ops->lost(&cc, 5 * PS_PER_US, 10);
			/* ConnectX looks every 4 us whether a CNP has come */
			assert_true(p.cc_ops->rate(&cc, 10 * PS_PER_US) < p.cc.line || p.cc_ops->window(&cc) < window);
			free(cc.mem);
			some++;
		}
	}
	assert_true(some >= 7);
}

static void list__lines(void **state)
{
	char text[4096];
	FILE *f = fmemopen(text, sizeof(text), "w");

	assert_int_equal(cfg_list("cc", f, &err), 0);
	assert_int_equal(cfg_list("transport", f, &err), 0);
	assert_int_equal(cfg_list("mtu", f, &err), -EINVAL);
	assert_says("--list mtu: there is no such list; allowed: transport, cc");
	fclose(f);
	for (u32 i = 0; cc_at(i); i++)
		assert_non_null(strstr(text, cc_at(i)->what));
	for (u32 i = 0; recovery_at(i); i++)
		assert_non_null(strstr(text, recovery_at(i)->what));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(find__names),  cmocka_unit_test(ops__complete),  cmocka_unit_test(tables__sane),
		cmocka_unit_test(keys__unique), cmocka_unit_test(keys__accepted), cmocka_unit_test(resolve__defaults),
		cmocka_unit_test(lost__less),   cmocka_unit_test(list__lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
