// SPDX-License-Identifier: GPL-2.0-or-later
/* Help on the terminal, and the man page: both are made from the tables of the commands. */
#include <stdio.h>
#include <string.h>

#include "lab/cmd/cmd.h"

#define COLUMNS 80
#define HELP_AT 20 /* column of the help texts */
#define FOLD_AT 6  /* column of the help text of an entry whose name reaches beyond HELP_AT */

#define ROW(name) &cmd_##name,
const struct cmd *const cmds[] = { CMD_LIST(ROW) NULL };

const char *const cmd_exit_codes[EXIT_CODES] = {
	[EXIT_DONE] = "done",
	[EXIT_CHECK] = "a check failed: a run got stuck or deadlocked, a lab is damaged or in use, an output could "
		       "not be written",
	[EXIT_USAGE] = "usage or bad input",
	[EXIT_SYSTEM] = "the system lacks something; the message says what",
};

void cmd_wrap(FILE *out, size_t at, size_t indent, const char *text)
{
	size_t column = at;

	while (*text) {
		size_t blanks = strspn(text, " "), word = strcspn(text + blanks, " |\n");

		word += text[blanks + word] == '|'; /* lists of words may be split too */

		if (column > indent && column + blanks + word > COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			text += blanks;
			blanks = 0;
		}
		fprintf(out, "%.*s", (int)(blanks + word), text);
		column += blanks + word;
		text += blanks + word;
		if (*text == '\n') {
			fputs(text[1] ? "\n" : "", out);
			if (text[1] && text[1] != '\n')
				fprintf(out, "%*s", (int)indent, "");
			column = indent;
			text++;
		}
	}
	fputc('\n', out);
}

/* Text for roff: nothing in it is a request or an escape, hyphens can be copied, a newline breaks the line. */
static void roff_text(FILE *out, const char *s)
{
	bool start = true;

	for (; *s; s++) {
		if (start && (*s == '.' || *s == '\''))
			fputs("\\&", out);
		if (*s == '\\')
			fputs("\\e", out);
		else if (*s == '-')
			fputs("\\-", out);
		else
			fputc(*s, out);
		if (*s == '|')
			fputs("\\:", out); /* a line may break here */
		start = *s == '\n';
		if (start)
			fputs(".br\n", out);
	}
}

void cmd_doc_heading(const struct cmd_doc *doc, const char *title)
{
	if (doc->roff) {
		fputs(".SS \"", doc->out);
		roff_text(doc->out, title);
		fputs("\"\n", doc->out);
	} else {
		fprintf(doc->out, "\n%s:\n", title);
	}
}

void cmd_doc_entry(const struct cmd_doc *doc, const char *what, const char *help)
{
	size_t len = strlen(what) + 2;

	if (doc->roff) {
		fputs(".TP\n.B ", doc->out);
		roff_text(doc->out, what);
		fputc('\n', doc->out);
		roff_text(doc->out, help);
		fputc('\n', doc->out);
	} else if (len + 2 > HELP_AT) {
		fprintf(doc->out, "  %s\n%*s", what, FOLD_AT, "");
		cmd_wrap(doc->out, FOLD_AT, FOLD_AT, help);
	} else {
		fprintf(doc->out, "  %-*s", HELP_AT - 2, what);
		cmd_wrap(doc->out, HELP_AT, HELP_AT, help);
	}
}

static void option_entry(const struct cmd_doc *doc, const struct cmd_option *o)
{
	char what[64], letter[8] = "    ";

	if (o->id > ' ')
		snprintf(letter, sizeof(letter), "-%c, ", o->id);
	snprintf(what, sizeof(what), "%s--%s%s%s", doc->roff && o->id < ' ' ? "" : letter, o->name, o->arg ? " " : "",
		 o->arg ? o->arg : "");
	cmd_doc_entry(doc, what, o->help);
}

static void entries(const struct cmd_doc *doc, const struct cmd *c)
{
	static const struct cmd_option help = { 'h', "help", NULL, "this help" };

	for (const struct cmd_arg *a = c->args; a && a->name; a++)
		cmd_doc_entry(doc, a->name, a->help);
	for (const struct cmd_option *o = c->options; o && o->name; o++)
		option_entry(doc, o);
	option_entry(doc, &help);
}

int cmd_help(const struct cmd *c)
{
	const struct cmd_doc doc = { stdout, false };

	printf("usage: losslab %s ", c->name);
	cmd_wrap(stdout, strlen("usage: losslab  ") + strlen(c->name), 8, c->usage);
	cmd_wrap(stdout, 0, 0, c->help);
	puts("");
	entries(&doc, c);
	if (c->notes) {
		puts("");
		cmd_wrap(stdout, 0, 0, c->notes);
	}
	if (c->more)
		c->more(&doc);
	return EXIT_DONE;
}

int cmd_help_all(void)
{
	const struct cmd_doc doc = { stdout, false };
	char code[12];

	puts("usage: losslab COMMAND [ARGUMENTS]\n\nA data-centre network on one Linux machine. Commands:\n");
	for (const struct cmd *const *c = cmds; *c; c++)
		cmd_doc_entry(&doc, (*c)->name, (*c)->help);
	puts("\nOther options:\n");
	cmd_doc_entry(&doc, "--help", "this help; losslab COMMAND --help or losslab help COMMAND: of one command");
	cmd_doc_entry(&doc, "--version", "the version");
	cmd_doc_entry(&doc, "--man", "print the man page losslab.1, for packagers");
	puts("\nExit codes:\n");
	for (int i = 0; i < EXIT_CODES; i++) {
		snprintf(code, sizeof(code), "%d", i);
		cmd_doc_entry(&doc, code, cmd_exit_codes[i]);
	}
	return EXIT_DONE;
}

static void man_command(const struct cmd_doc *doc, const struct cmd *c)
{
	char title[256];

	snprintf(title, sizeof(title), "losslab %s %s", c->name, c->usage);
	cmd_doc_heading(doc, title);
	roff_text(doc->out, c->help);
	fputs(".\n", doc->out);
	entries(doc, c);
	if (c->notes) {
		fputs(".PP\n", doc->out);
		roff_text(doc->out, c->notes);
		fputc('\n', doc->out);
	}
}

int cmd_man(const char *version)
{
	const struct cmd_doc doc = { stdout, true };
	char code[12];

	printf(".\\\" Made by losslab --man from the tables that losslab itself reads.\n"
	       ".TH LOSSLAB 1 \"\" \"losslab %s\" \"User Commands\"\n.ad l\n"
	       ".SH NAME\nlosslab \\- a data\\-centre network with RDMA on one Linux machine\n"
	       ".SH SYNOPSIS\n.B losslab\n.I COMMAND\n.RI [ ARGUMENTS ]\n"
	       ".SH DESCRIPTION\nLosslab builds a network of namespaces, veth pairs and eBPF switches, and runs RDMA "
	       "flows on it in virtual time.\nThe same seed gives the same result on any machine.\n"
	       ".SH COMMANDS\n",
	       version);
	for (const struct cmd *const *c = cmds; *c; c++)
		man_command(&doc, *c);
	for (const struct cmd *const *c = cmds; *c; c++) {
		if (!(*c)->more)
			continue;
		printf(".SH KEYS OF LOSSLAB %s\n", (*c)->name);
		(*c)->more(&doc);
	}
	fputs(".SH EXIT STATUS\n", doc.out);
	for (int i = 0; i < EXIT_CODES; i++) {
		snprintf(code, sizeof(code), "%d", i);
		cmd_doc_entry(&doc, code, cmd_exit_codes[i]);
	}
	fputs(".SH ENVIRONMENT\n", doc.out);
	cmd_doc_entry(&doc, "LOSSLAB_RUN_DIR", "Where labs are recorded; /run/losslab by default.");
	cmd_doc_entry(&doc, "LOSSLAB_TOPO", "Where the topology generators are.");
	return EXIT_DONE;
}
