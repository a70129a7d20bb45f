/*
 * completion: bash, zsh and fish. What an option's value is follows from its row: words, or the ARG's name (DIR,
 * FILE, PID). Behind the options of `record` stands a command line, which the shell completes as it would one of its
 * own.
 */
#include "completion.h"

#include "command.h"

#include <errno.h>
#include <iotrace/log.h>
#include <string.h>

/* Help for scripts: without characters that a shell or zsh's _arguments would read. */
static void put_help(const char *help, FILE *out)
{
	for (; *help; help++)
		fputc(strchr("'\"[]:$`\\\n", *help) ? ' ' : *help, out);
}

static void put_command_names(FILE *out)
{
	for (uint32_t i = 0; command_at(i); i++)
		fprintf(out, "%s%s", i ? " " : "", command_at(i)->name);
}

/* "-o|--output" */
static void put_pattern(const struct option_row *row, FILE *out)
{
	if (row->short_name)
		fprintf(out, "-%c|", row->short_name);
	fprintf(out, "--%s", row->name);
}

static void bash_value(const struct option_row *row, FILE *out)
{
	fputs("\t\t", out);
	put_pattern(row, out);
	if (row->words)
		fprintf(out, ") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
			row->words);
	else if (!strcmp(row->arg, "DIR"))
		fputs(") COMPREPLY=($(compgen -d -- \"$cur\")); return ;;\n", out);
	else if (!strcmp(row->arg, "FILE"))
		fputs(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", out);
	else if (!strncmp(row->arg, "PID", 3))
		fputs(") COMPREPLY=($(compgen -W \"$(cd /proc && echo [0-9]*)\" -- \"$cur\")); return ;;\n",
		      out);
	else
		fputs(") COMPREPLY=(); return ;;\n", out);
}

/* A function for each command that looks at the word before and then offers the options. */
static void bash_command(const struct command *command, FILE *out)
{
	fputs("_iotrace_", out);
	for (const char *at = command->name; *at; at++)
		fputc(*at == '-' ? '_' : *at, out);
	fputs("()\n{\n\tcase $prev in\n", out);
	for (const struct option_row *row = command->row; row->name; row++) {
		if (option_has_value(row))
			bash_value(row, out);
	}
	fputs("\tesac\n\tif [[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W '", out);
	for (const struct option_row *row = command->row; row->name; row++)
		fprintf(out, "--%s ", row->name);
	fputs("' -- \"$cur\"))\n\t\treturn\n\tfi\n", out);
	if (!*command->operands)
		fputs("\tCOMPREPLY=()\n}\n\n", out);
	else if (!strcmp(command->operands, "DIR"))
		fputs("\tCOMPREPLY=($(compgen -d -- \"$cur\"))\n}\n\n", out);
	else
		fputs("\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n}\n\n", out);
}

/* Options of record that take a value: to find where its command begins. */
static void bash_valued(FILE *out)
{
	const char *before = "";

	for (const struct option_row *row = command_record.row; row->name; row++) {
		if (!option_has_value(row))
			continue;
		fputs(before, out);
		put_pattern(row, out);
		before = "|";
	}
}

static void bash(FILE *out)
{
	fputs("# bash completion for iotrace, written by `iotrace --completion bash`.\n\n", out);
	for (uint32_t i = 0; command_at(i); i++)
		bash_command(command_at(i), out);
	fputs("_iotrace()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word=record i=1\n"
	      "\tcase ${COMP_WORDS[1]} in\n",
	      out);
	for (uint32_t i = 0; command_at(i); i++)
		fprintf(out, "\t%s) word=%s ;;\n", command_at(i)->name, command_at(i)->name);
	fputs("\tesac\n"
	      "\tif [[ $COMP_CWORD -gt 1 && $word == \"${COMP_WORDS[1]}\" ]]; then\n"
	      "\t\ti=2\n\tfi\n"
	      "\tif [[ $word != record ]]; then\n"
	      "\t\t\"_iotrace_${word//-/_}\"\n\t\treturn\n\tfi\n"
	      "\twhile [[ $i -lt $COMP_CWORD && ${COMP_WORDS[i]} == -* ]]; do\n"
	      "\t\tcase ${COMP_WORDS[i]} in\n\t\t--) i=$((i + 1)); break ;;\n\t\t",
	      out);
	bash_valued(out);
	fputs(") i=$((i + 1)) ;;\n\t\tesac\n\t\ti=$((i + 1))\n\tdone\n"
	      "\tif [[ $i -gt $COMP_CWORD || $cur == -* && $i -eq $COMP_CWORD && $prev != -- ]]; then\n"
	      "\t\t_iotrace_record\n"
	      "\telif [[ $i -lt $COMP_CWORD ]] && declare -F _command_offset >/dev/null; then\n"
	      "\t\t_command_offset \"$i\"\n"
	      "\telif [[ $i -lt $COMP_CWORD ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	      "\telse\n"
	      "\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
	      "\t\tif [[ $COMP_CWORD -eq 1 ]]; then\n"
	      "\t\t\tCOMPREPLY=($(compgen -W '",
	      out);
	put_command_names(out);
	fputs("' -- \"$cur\") \"${COMPREPLY[@]}\")\n\t\tfi\n\tfi\n}\n\ncomplete -o filenames -F _iotrace iotrace\n",
	      out);
}

static void zsh_action(const struct option_row *row, FILE *out)
{
	if (row->words)
		fprintf(out, "%s%s:(%s)", option_has_value(row) ? ":" : "::", row->name,
			row->words);
	else if (!strcmp(row->arg, "DIR"))
		fprintf(out, ":%s:_files -/", row->name);
	else if (!strcmp(row->arg, "FILE"))
		fprintf(out, ":%s:_files", row->name);
	else if (!strncmp(row->arg, "PID", 3))
		fprintf(out, ":%s:_pids", row->name);
	else
		fprintf(out, ":%s: ", row->name);
}

static void zsh_option(const struct option_row *row, FILE *out)
{
	if (row->short_name)
		fprintf(out, "\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", row->short_name, row->name,
			row->short_name, row->arg ? "+" : "", row->name, row->arg ? "=" : "");
	else
		fprintf(out, "\t\t'--%s%s[", row->name,
			option_has_value(row) ? "="
			: row->arg            ? "=-"
					      : "");
	put_help(row->help, out);
	fputc(']', out);
	if (row->arg)
		zsh_action(row, out);
	fputs("' \\\n", out);
}

static void zsh_command(const struct command *command, FILE *out)
{
	fprintf(out, "_iotrace_%s() {\n\t_arguments -s -S \\\n", command->name);
	for (const struct option_row *row = command->row; row->name; row++)
		zsh_option(row, out);
	if (command->runs_command)
		fputs("\t\t'(-)1:command: _command_names -e' '*::arguments: _normal'\n}\n\n", out);
	else if (!strcmp(command->operands, "DIR"))
		fputs("\t\t'1:archive:_files -/'\n}\n\n", out);
	else if (*command->operands)
		fputs("\t\t'1:capture:_files'\n}\n\n", out);
	else
		fputs("\t\t&& return\n}\n\n", out);
}

static void zsh(FILE *out)
{
	fputs("#compdef iotrace\n# zsh completion for iotrace, written by `iotrace --completion zsh`.\n\n",
	      out);
	for (uint32_t i = 0; command_at(i); i++)
		zsh_command(command_at(i), out);
	fputs("_iotrace() {\n\tif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n\t\tlocal -a subcommands=(\n",
	      out);
	for (uint32_t i = 0; command_at(i); i++) {
		fprintf(out, "\t\t\t'%s:", command_at(i)->name);
		put_help(command_at(i)->help, out);
		fputs("'\n", out);
	}
	fputs("\t\t)\n\t\t_describe 'iotrace command' subcommands\n\t\t_command_names -e\n\t\treturn\n\tfi\n"
	      "\tcase $words[2] in\n",
	      out);
	for (uint32_t i = 0; command_at(i); i++)
		fprintf(out, "\t%s) shift words; (( CURRENT-- )); _iotrace_%s ;;\n",
			command_at(i)->name, command_at(i)->name);
	fputs("\t*) _iotrace_record ;;\n\tesac\n}\n\n_iotrace \"$@\"\n", out);
}

static void fish_option(const struct command *command, const struct option_row *row, FILE *out)
{
	fprintf(out, "complete -c iotrace -n '__iotrace_is %s' -l %s", command->name, row->name);
	if (row->short_name)
		fprintf(out, " -s %c", row->short_name);
	fputs(" -d '", out);
	put_help(row->help, out);
	fputc('\'', out);
	if (row->words)
		fprintf(out, " %s -a '%s'", option_has_value(row) ? "-x" : "-f", row->words);
	else if (row->arg && !strcmp(row->arg, "DIR"))
		fputs(" -x -a '(__fish_complete_directories)'", out);
	else if (row->arg && !strcmp(row->arg, "FILE"))
		fputs(" -r -F", out);
	else if (row->arg && !strncmp(row->arg, "PID", 3))
		fputs(" -x -a '(__fish_complete_pids)'", out);
	else if (row->arg)
		fputs(" -x", out);
	fputc('\n', out);
}

static void fish(FILE *out)
{
	fputs("# fish completion for iotrace, written by `iotrace --completion fish`.\n\n"
	      "function __iotrace_is\n\tset -l words (commandline -opc)\n\tset -l word record\n"
	      "\tif set -q words[2]; and contains -- $words[2] ",
	      out);
	put_command_names(out);
	fputs("\n\t\tset word $words[2]\n\tend\n\ttest $word = $argv[1]\nend\n\n", out);
	for (uint32_t i = 0; command_at(i); i++) {
		fprintf(out, "complete -c iotrace -n __fish_is_first_token -a %s -d '",
			command_at(i)->name);
		put_help(command_at(i)->help, out);
		fputs("'\n", out);
	}
	for (uint32_t i = 0; command_at(i); i++) {
		for (const struct option_row *row = command_at(i)->row; row->name; row++)
			fish_option(command_at(i), row, out);
	}
	fputs("complete -c iotrace -n '__iotrace_is record' -x -a '(__fish_complete_subcommand)'\n",
	      out);
}

static const struct {
	const char *shell;
	void (*print)(FILE *out);
} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

int completion_print(const char *shell, FILE *out)
{
	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		if (strcmp(shells[i].shell, shell) != 0)
			continue;
		shells[i].print(out);
		return fflush(out) ? -errno : 0;
	}
	log_error("there is no completion for '%s'; there are bash, zsh and fish", shell);
	return -EINVAL;
}
