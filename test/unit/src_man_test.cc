/*
 * The man pages against the tables: every option, group, fact and counter equation that the program has is described,
 * and the completions name every option.
 */
#include "cmd/commands.h"
#include "cmd/completion.h"
#include "test_source.h"

#include <iotrace/fact.h>
#include <iotrace/io_event.h>
#include <iotrace/syscall.h>

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <string>

namespace
{

std::string page(const std::string &name)
{
	std::ifstream in(test_source("../man/" + name));
	std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());

	EXPECT_NE(text, "") << name;
	return text;
}

TEST(Man, EveryOptionIsDescribedWithItsArgument)
{
	for (uint32_t i = 0; command_at(i); i++) {
		const struct command *command = command_at(i);
		std::string text = page(std::string("iotrace-") + command->name + ".1");

		for (const struct option_row *row = command->row; row->name; row++) {
			std::string item = ".It ";

			if (row->short_name)
				item += std::string("Fl ") + row->short_name + " , ";
			item += std::string("Fl -") + row->name;
			const char *behind = option_has_value(row) ? " Ar "
					     : row->arg            ? " Ns Op = Ns Ar "
								   : "\n";
			size_t at = text.find(item + behind);
			EXPECT_NE(at, std::string::npos) << command->name << ": " << item;
		}
	}
}

TEST(Man, DescribesNoOptionThatIsNotThere)
{
	std::regex item("\\.It Fl (?:\\w , Fl )?-([a-z-]+)");

	for (uint32_t i = 0; command_at(i); i++) {
		std::string text = page(std::string("iotrace-") + command_at(i)->name + ".1");

		for (std::sregex_iterator m(text.begin(), text.end(), item), end; m != end; ++m) {
			const struct option_row *row = command_at(i)->row;

			while (row->name && (*m)[1].str() != row->name)
				row++;
			EXPECT_NE(row->name, nullptr) << command_at(i)->name << ": " << (*m)[0];
		}
	}
}

TEST(Man, MainPageNamesTheCommandsAndTheOptionsOfRecord)
{
	std::string text = page("iotrace.1");

	for (uint32_t i = 0; command_at(i); i++) {
		EXPECT_NE(text.find(std::string(".It Cm ") + command_at(i)->name + "\n"),
			  std::string::npos);
		EXPECT_NE(text.find(std::string(".Xr iotrace-") + command_at(i)->name + " 1"),
			  std::string::npos);
	}
	for (const struct option_row *row = command_record.row; row->name; row++)
		EXPECT_NE(text.find(std::string("Fl -") + row->name), std::string::npos)
			<< row->name;
}

TEST(Man, EveryPageOfSection1HasItsSections)
{
	for (const char *name :
	     {"iotrace.1", "iotrace-record.1", "iotrace-convert.1", "iotrace-list.1",
	      "iotrace-check.1", "iotrace-check-archive.1", "iotrace-report.1", "iotrace-stop.1",
	      "iotrace-latency.1", "iotrace-leaks.1"})
		for (const char *section : {"NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT",
					    "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO"})
			EXPECT_NE(page(name).find(std::string(".Sh ") + section + "\n"),
				  std::string::npos)
				<< name << ": " << section;
}

TEST(Man, ListHasEveryGroup)
{
	std::string text = page("iotrace-list.1");

	for (int i = 0; i < GROUP_COUNT; i++)
		EXPECT_NE(text.find(std::string(".It Cm ") +
				    call_group_name(static_cast<enum call_group>(i)) + "\n"),
			  std::string::npos);
}

TEST(Man, CaptureHasEveryFactInItsOrderWithItsFields)
{
	std::string text = page("iotrace-capture.5");
	size_t last = 0;

	for (uint32_t kind = 1; kind < FACT_KINDS; kind++) {
		std::string fact = std::string(".It Sy ") + fact_name(kind) + "\n";
		size_t at = text.find(fact), end = text.find("\n.It ", at + 1);

		ASSERT_NE(at, std::string::npos) << fact;
		EXPECT_GT(at, last) << fact << "is not in the order of the table";
		last = at;
		std::string row = text.substr(at, end - at);
		if (*fact_number_names(kind))
			EXPECT_NE(row.find(std::string("Numbers: ") + fact_number_names(kind) +
					   "."),
				  std::string::npos)
				<< row;
		if (*fact_string_names(kind))
			EXPECT_NE(row.find(std::string("Strings: ") + fact_string_names(kind) +
					   "."),
				  std::string::npos)
				<< row;
	}
}

TEST(Man, TextHasEveryKindOfRecord)
{
	std::string text = page("iotrace-text.5");

	for (int kind = 0; kind < IO_EVENT_KINDS; kind++)
		EXPECT_NE(text.find(std::string(" ") +
				    io_event_name(static_cast<enum io_event_kind>(kind))),
			  std::string::npos)
			<< io_event_name(static_cast<enum io_event_kind>(kind));
}

TEST(Completion, NamesEveryCommandAndOption)
{
	for (const char *shell : {"bash", "zsh", "fish"}) {
		char *text = nullptr;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		EXPECT_EQ(completion_print(shell, out), 0);
		fclose(out);
		std::string script(text, size);
		free(text);
		for (uint32_t i = 0; command_at(i); i++) {
			EXPECT_NE(script.find(command_at(i)->name), std::string::npos) << shell;
			for (const struct option_row *row = command_at(i)->row; row->name; row++) {
				std::string option = *shell == 'f' ? std::string("-l ") + row->name
								   : std::string("--") + row->name;
				EXPECT_NE(script.find(option), std::string::npos)
					<< shell << " " << option;
			}
		}
	}
}

} // namespace
