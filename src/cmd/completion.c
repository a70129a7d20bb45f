/*
 * completion: bash, zsh and fish. The row of an option shows what its value is: words, or the name of its ARG (DIR, FILE, PID).
 * The options of `record` are followed by a command line, which the shell completes like any other.
 */
#include "completion.h"

#include "commands.h"

#include <errno.h>
#include <iotrace/log.h>
#include <string.h>

/* Help without characters that are special to a shell or to zsh's _arguments. */
static void put_help(const char *help, FILE *out)
{
	for (; *help; help++)
		fputc(strchr("'\"[]:$`\\\n", *help) ? ' ' : *help, out);
}

/* Whether the operands are running recordings. */
static bool names_recording(const struct command *command)
{
	return strstr(command->operands, "PID|NAME");
}

static void put_command_names(FILE *out)
{
	for (uint32_t i = 0; command_at(i); i++)
		fprintf(out, "%s%s", i ? " " : "", command_at(i)->name);
}

/* Prints "-o|--output". */
static void put_pattern(const struct option_row *row, FILE *out)
{
	if (row->short_name)
		fprintf(out, "-%c|", row->short_name);
	fprintf(out, "--%s", row->name);
}

/* How each shell completes a kind of value. */
static const struct value_kind {
	const char *word; /* the option's name, or the begin of its ARG */
	const char *bash, *zsh, *fish;
} kinds[] = {
	{"DIR", "_iotrace_files -d", "_files -/", "-x -a '(__fish_complete_directories)'"},
	{"FILE", "_iotrace_files -f", "_files", "-r -F"},
	{"PID", "_iotrace_items \"$(cd /proc && echo [0-9]*)\"", "_sequence _pids",
	 "-x -a '(__fish_complete_pids)'"},
	{"USER", "COMPREPLY=($(compgen -u -- \"$cur\"))", "_users",
	 "-x -a '(__fish_complete_users)'"},
	{"DEV", "_iotrace_words \"$(cd /sys/block && echo *)\"", "_iotrace_devices",
	 "-x -a '(cd /sys/block && string join \\n *)'"},
	{"PATH", "_iotrace_files -d", "_files -/", "-x -a '(__fish_complete_directories)'"},
	{"tracepoint", "_iotrace_tracepoints", "_iotrace_tracepoints",
	 "-x -a '(__iotrace_tracepoints)'"},
	{"KIND[:FILE]", "_iotrace_summary", "_iotrace_summary", "-x -a 'text json none'"},
};

static const struct value_kind *kind_of(const struct option_row *row)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (row->arg && (!strcmp(row->name, kinds[i].word) ||
				 !strncmp(row->arg, kinds[i].word, strlen(kinds[i].word))))
			return &kinds[i];
	return NULL;
}

/* Returns whether the value is a list with commas. In SYSTEM:EVENT=A,B the comma means something else. */
static bool is_list(const struct option_row *row)
{
	return row->arg && strchr(row->arg, ',') && !strchr(row->arg, ':');
}

static void bash_value(const struct option_row *row, FILE *out)
{
	const struct value_kind *kind = kind_of(row);

	fputs("\t", out);
	put_pattern(row, out);
	fputs(") ", out);
	if (!option_has_value(row)) /* its value can only follow "=" */
		fputs("[[ $head ]] || return 1; ", out);
	if (kind)
		fputs(kind->bash, out);
	else if (row->words && is_list(row))
		fprintf(out, "_iotrace_items '%s%s'", row->words,
			strstr(row->arg, "DEV") ? " '\"$(cd /sys/block && echo *)\"'" : "");
	else if (row->words)
		fprintf(out, "_iotrace_words '%s'", row->words);
	else
		fputs(":", out);
	fputs(" ;;\n", out);
}

/* Prints a function for each command: the value of an option (false if there is no such option), and one that offers options. */
static void bash_command(const struct command *command, FILE *out)
{
	char name[64];

	snprintf(name, sizeof(name), "%s", command->name);
	for (char *at = name; *at; at++)
		*at = *at == '-' ? '_' : *at;
	fprintf(out, "_iotrace_%s_value()\n{\n\tcase $1 in\n", name);
	for (const struct option_row *row = command->row; row->name; row++) {
		if (row->arg)
			bash_value(row, out);
	}
	fprintf(out, "\t*) return 1 ;;\n\tesac\n\treturn 0\n}\n\n_iotrace_%s()\n{\n", name);
	fprintf(out,
		"\tif [[ $cur == --*=* ]]; then\n\t\tprev=${cur%%%%=*} head=${cur%%%%=*}= cur=${cur#*=}\n\tfi\n"
		"\tif _iotrace_%s_value \"$prev\" || [[ $head ]]; then\n\t\treturn\n\tfi\n"
		"\tif [[ $cur == -* ]]; then\n\t\t_iotrace_words '",
		name);
	for (const struct option_row *row = command->row; row->name; row++)
		fprintf(out, "--%s ", row->name);
	fputs("'\n\t\treturn\n\tfi\n", out);
	if (!*command->operands)
		fputs("\tCOMPREPLY=()\n}\n\n", out);
	else if (!strcmp(command->operands, "DIR"))
		fputs("\t_iotrace_files -d\n}\n\n", out);
	else if (names_recording(command))
		fputs("\t_iotrace_words \"$(iotrace status 2>/dev/null | cut -d ' ' -f 1)\"\n}\n\n",
		      out);
	else
		fputs("\t_iotrace_files -f\n}\n\n", out);
}

/* Returns the next command from *index on that runs another one, or NULL. */
static const struct command *next_runner(uint32_t *index)
{
	const struct command *command;

	while ((command = command_at((*index)++)))
		if (command->runs_command)
			return command;
	return NULL;
}

/* Returns whether an earlier command that runs another one has the same option. */
static bool is_repeated(const struct command *command, const struct option_row *row)
{
	const struct command *before;
	uint32_t index = 0;

	while ((before = next_runner(&index)) && before != command)
		for (const struct option_row *other = before->row; other->name; other++)
			if (!strcmp(other->name, row->name) && other->short_name == row->short_name)
				return true;
	return false;
}

/* Calls put() for each option that takes a value, to find where the command begins that iotrace runs. */
static void each_valued(void (*put)(const struct option_row *row, FILE *out), FILE *out)
{
	const struct command *command;
	uint32_t index = 0;

	while ((command = next_runner(&index)))
		for (const struct option_row *row = command->row; row->name; row++)
			if (option_has_value(row) && !is_repeated(command, row))
				put(row, out);
}

static void put_runners(const char *between, FILE *out)
{
	const struct command *command;
	const char *before = "";
	uint32_t index = 0;

	for (; (command = next_runner(&index)); before = between)
		fprintf(out, "%s%s", before, command->name);
}

static void bash_valued(const struct option_row *row, FILE *out)
{
	fputs("\t\t", out);
	put_pattern(row, out);
	fputs(") i=$((i + 1)) ;;\n", out);
}

/*
 * Bash also splits the line at = and :, and replaces only the last piece. These functions split it at blanks only: $cur is the
 * typed part of the value, $head the text before it in the same word.
 */
static const char bash_helpers[] =
	"_iotrace_words()\n{\n\tCOMPREPLY=($(compgen -W \"$1\" -- \"$cur\"))\n}\n\n"
	"_iotrace_items()\n{\n"
	"\tif [[ $cur == *,* ]]; then\n\t\thead+=${cur%,*}, cur=${cur##*,}\n\tfi\n"
	"\t_iotrace_words \"$1\"\n}\n\n"
	"_iotrace_files()\n{\n"
	"\tlocal IFS=$'\\n'\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tCOMPREPLY=($(compgen \"$1\" -- \"$cur\"))\n}\n\n"
	"# compgen -c would offer keywords and functions of the shell, too.\n"
	"_iotrace_programs()\n{\n"
	"\tlocal dir file IFS=:\n"
	"\tif [[ $cur == */* ]]; then\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tIFS=$'\\n'\n"
	"\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n\t\treturn\n\tfi\n"
	"\tfor dir in $PATH; do\n"
	"\t\tfor file in \"${dir:-.}/$cur\"*; do\n"
	"\t\t\t[[ ! -f $file || ! -x $file ]] || COMPREPLY+=(\"${file##*/}\")\n"
	"\t\tdone\n\tdone\n}\n\n"
	"_iotrace_summary()\n{\n"
	"\tif [[ $cur == *:* ]]; then\n\t\thead+=${cur%%:*}: cur=${cur#*:}\n\t\t_iotrace_files -f\n"
	"\telse\n\t\t_iotrace_words 'text json none'\n\tfi\n}\n\n"
	"_iotrace_tracepoints()\n{\n"
	"\t_iotrace_words \"$(\"${words[0]}\" list -e \"$cur*\" 2>/dev/null | grep '^[^ ]')\"\n}\n\n"
	"# The index in COMP_WORDS of what is word $1 of the line.\n"
	"_iotrace_index()\n{\n"
	"\tlocal rest=$COMP_LINE i word=-1\n"
	"\tfor ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do\n"
	"\t\tif [[ $i -eq 0 || $rest == [[:space:]]* ]]; then\n\t\t\tword=$((word + 1))\n\t\tfi\n"
	"\t\tif [[ $word -eq $1 ]]; then\n\t\t\tindex=$i\n\t\t\treturn\n\t\tfi\n"
	"\t\trest=${rest#\"${rest%%[![:space:]]*}\"}\n"
	"\t\trest=${rest#\"${COMP_WORDS[i]}\"}\n"
	"\tdone\n\tindex=$COMP_CWORD\n}\n\n"
	"# Puts $head before all, and takes away what readline does not replace.\n"
	"_iotrace_finish()\n{\n"
	"\tlocal i typed=$head$cur breaks=${COMP_WORDBREAKS//[^=:]/} drop=\n"
	"\tif [[ $breaks && $typed == *[\"$breaks\"]* ]]; then\n"
	"\t\tdrop=${typed%\"${typed##*[\"$breaks\"]}\"}\n\tfi\n"
	"\tfor i in \"${!COMPREPLY[@]}\"; do\n"
	"\t\tCOMPREPLY[i]=$head${COMPREPLY[i]}\n"
	"\t\tCOMPREPLY[i]=${COMPREPLY[i]#\"$drop\"}\n"
	"\tdone\n}\n\n";

static void bash_record(FILE *out)
{
	fputs("_iotrace_command_line()\n{\n\tlocal index\n"
	      "\twhile [[ $i -lt $last && ${words[i]} == -* ]]; do\n"
	      "\t\tcase ${words[i]} in\n\t\t--) i=$((i + 1)); break ;;\n",
	      out);
	each_valued(bash_valued, out);
	fputs("\t\tesac\n\t\ti=$((i + 1))\n\tdone\n"
	      "\tif [[ $i -gt $last || $cur == -* && $i -eq $last && $prev != -- ]]; then\n"
	      "\t\t\"_iotrace_$word\"\n"
	      "\telif [[ $i -lt $last ]] && declare -F _command_offset >/dev/null; then\n"
	      "\t\t_iotrace_index \"$i\"\n\t\t_command_offset \"$index\"\n\t\treturn 1\n"
	      "\telif [[ $i -lt $last ]]; then\n"
	      "\t\t_iotrace_files -f\n"
	      "\telse\n"
	      "\t\t_iotrace_programs\n"
	      "\t\tif [[ $word == latency || $word == leaks ]]; then\n"
	      "\t\t\tcompopt -o filenames 2>/dev/null\n"
	      "\t\t\tCOMPREPLY+=($(IFS=$'\\n'; compgen -f -- \"$cur\"))\n\t\tfi\n"
	      "\t\tif [[ $last -eq 1 ]]; then\n"
	      "\t\t\tCOMPREPLY+=($(compgen -W 'help version ",
	      out);
	put_command_names(out);
	fputs("' -- \"$cur\"))\n\t\tfi\n\tfi\n}\n\n", out);
}

static void bash(FILE *out)
{
	fputs("# bash completion for iotrace, written by `iotrace --completion bash`.\n\n", out);
	fputs(bash_helpers, out);
	for (uint32_t i = 0; command_at(i); i++)
		bash_command(command_at(i), out);
	bash_record(out);
	fputs("_iotrace()\n{\n"
	      "\tlocal line=${COMP_LINE:0:COMP_POINT} cur prev head= word=record i=1 last\n"
	      "\tlocal -a words\n"
	      "\tIFS=' ' read -ra words <<<\"$line\"\n"
	      "\tif [[ $line == *[[:space:]] ]]; then\n\t\twords+=('')\n\tfi\n"
	      "\tlast=$((${#words[@]} - 1))\n"
	      "\tcur=${words[last]} prev=${words[last - 1]}\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [[ $last -gt 1 ]]; then\n\t\tcase ${words[1]} in\n",
	      out);
	for (uint32_t i = 0; command_at(i); i++)
		fprintf(out, "\t\t%s) word=%s i=2 ;;\n", command_at(i)->name, command_at(i)->name);
	fputs("\t\thelp) _iotrace_words '", out);
	put_command_names(out);
	fputs("'; return ;;\n\t\tesac\n\tfi\n"
	      "\tcase $word in\n\t",
	      out);
	put_runners("|", out);
	fputs(") _iotrace_command_line || return ;;\n"
	      "\t*) \"_iotrace_${word//-/_}\" ;;\n\tesac\n"
	      "\t_iotrace_finish\n}\n\ncomplete -F _iotrace iotrace\n",
	      out);
}

static void zsh_action(const struct option_row *row, FILE *out)
{
	const struct value_kind *kind = kind_of(row);

	fprintf(out, "%s%s:", option_has_value(row) ? ":" : "::", row->name);
	if (kind)
		fputs(kind->zsh, out);
	else if (row->words && is_list(row))
		fprintf(out, "_sequence compadd - %s%s", row->words,
			strstr(row->arg, "DEV") ? " /sys/block/*(N\\:t)" : "");
	else if (row->words)
		fprintf(out, "(%s)", row->words);
	else
		fputc(' ', out);
}

static const char zsh_helpers[] =
	"_iotrace_devices() { compadd - /sys/block/*(N:t) }\n"
	"_iotrace_tracepoints() {\n\tlocal -a names\n"
	"\tnames=(${(f)\"$(_call_program tracepoints iotrace list -e ${(q)PREFIX}'\\*' 2>/dev/null)\"})\n"
	"\tcompadd - ${names:#[[:space:]]*}\n}\n"
	"_iotrace_summary() {\n\tif compset -P '*:'; then\n\t\t_files\n"
	"\telse\n\t\tcompadd - text json none\n\tfi\n}\n\n";

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
	else if (names_recording(command))
		fputs("\t\t'*:recording:($(iotrace status 2>/dev/null | cut -d \" \" -f 1))'\n}\n\n",
		      out);
	else if (*command->operands)
		fputs("\t\t'1:capture:_files'\n}\n\n", out);
	else
		fputs("\t\t&& return\n}\n\n", out);
}

static void zsh(FILE *out)
{
	fputs("#compdef iotrace\n# zsh completion for iotrace, written by `iotrace --completion zsh`.\n\n",
	      out);
	fputs(zsh_helpers, out);
	for (uint32_t i = 0; command_at(i); i++)
		zsh_command(command_at(i), out);
	fputs("_iotrace() {\n\tif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n\t\tlocal -a subcommands=(\n",
	      out);
	for (uint32_t i = 0; command_at(i); i++) {
		fprintf(out, "\t\t\t'%s:", command_at(i)->name);
		put_help(command_at(i)->help, out);
		fputs("'\n", out);
	}
	fputs("\t\t\t'help:Shows the options of a command.'\n\t\t\t'version:Shows the version.'\n",
	      out);
	fputs("\t\t)\n\t\t_describe 'iotrace command' subcommands\n\t\t_command_names -e\n\t\treturn\n\tfi\n"
	      "\tcase $words[2] in\n",
	      out);
	for (uint32_t i = 0; command_at(i); i++)
		fprintf(out, "\t%s) shift words; (( CURRENT-- )); _iotrace_%s ;;\n",
			command_at(i)->name, command_at(i)->name);
	fputs("\t*) _iotrace_record ;;\n\tesac\n}\n\n_iotrace \"$@\"\n", out);
}

static void fish_value(const struct option_row *row, FILE *out)
{
	const struct value_kind *kind = kind_of(row);

	if (kind)
		fprintf(out, " %s", kind->fish);
	else if (row->words && is_list(row)) /* fish itself keeps the text before the last comma */
		fprintf(out, " %s -a '(__fish_append , %s%s)'", option_has_value(row) ? "-x" : "-f",
			row->words,
			strstr(row->arg, "DEV") ? " (cd /sys/block && string join \\n *)" : "");
	else if (row->words)
		fprintf(out, " %s -a '%s'", option_has_value(row) ? "-x" : "-f", row->words);
	else if (row->arg)
		fputs(" -x", out);
}

static void fish_option(const struct command *command, const struct option_row *row, FILE *out)
{
	fprintf(out, "complete -c iotrace -n '__iotrace_is %s' -l %s", command->name, row->name);
	if (row->short_name)
		fprintf(out, " -s %c", row->short_name);
	fputs(" -d '", out);
	put_help(row->help, out);
	fputc('\'', out);
	fish_value(row, out);
	fputc('\n', out);
}

static void fish_valued(const struct option_row *row, FILE *out)
{
	fprintf(out, " --%s", row->name);
	if (row->short_name)
		fprintf(out, " -%c", row->short_name);
}

/*
 * The command is completed as the shell would complete it, but its first word only with what iotrace can run: a function or a
 * builtin of the shell is no program.
 */
static void fish_command(FILE *out)
{
	fputs("function __iotrace_command\n\tset -l words (commandline -opc)[2..-1]\n"
	      "\tif set -q words[1]; and contains -- $words[1] ",
	      out);
	put_runners(" ", out);
	fputs("\n\t\tset -e words[1]\n\tend\n"
	      "\twhile set -q words[1]\n\t\tswitch $words[1]\n\t\t\tcase",
	      out);
	each_valued(fish_valued, out);
	fputs("\n\t\t\t\tset -e words[1..2]\n\t\t\tcase '-*'\n\t\t\t\tset -e words[1]\n"
	      "\t\t\tcase '*'\n\t\t\t\tcomplete -C (string join ' ' -- (string escape -- $words) (commandline -ct))\n"
	      "\t\t\t\treturn\n\t\tend\n\tend\n"
	      "\tset -l last (commandline -ct)\n\tstring match -q -- '-*' $last; and return\n"
	      "\tfor offer in (complete --do-complete=\"$last\")\n"
	      "\t\tset -l word (string split -m 1 \\t -- $offer)[1]\n"
	      "\t\tif command -q -- $word; or not type -q -- $word\n"
	      "\t\t\tprintf '%s\\n' $offer\n\t\tend\n\tend\nend\n\n",
	      out);
}

static void fish(FILE *out)
{
	const struct command *command;

	fputs("# fish completion for iotrace, written by `iotrace --completion fish`.\n\n"
	      "function __iotrace_is\n\tset -l words (commandline -opc)\n\tset -l word record\n"
	      "\tif set -q words[2]; and contains -- $words[2] ",
	      out);
	put_command_names(out);
	fputs(" help version\n\t\tset word $words[2]\n\tend\n\ttest $word = $argv[1]\nend\n\n"
	      "function __iotrace_tracepoints\n"
	      "\tiotrace list -e (commandline -ct | string replace -r -- '^--[a-z]*=' '')'*' 2>/dev/null | string match -r '^[^ ].*'\n"
	      "end\n\n",
	      out);
	fish_command(out);
	fputs("complete -c iotrace -n __fish_is_first_token -a 'help version'\n", out);
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
	/* The operand of latency and leaks may be a file, too. */
	for (uint32_t index = 0; (command = next_runner(&index));)
		fprintf(out,
			"complete -c iotrace -n '__iotrace_is %s'%s -a '(__iotrace_command)'\n",
			command->name, strstr(command->operands, "FILE") ? "" : " -x");
	fputs("complete -c iotrace -n '__iotrace_is help' -x -a '", out);
	put_command_names(out);
	fputs("'\n", out);
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
	log_error("no completion for '%s': expected bash, zsh or fish", shell);
	return -EINVAL;
}
