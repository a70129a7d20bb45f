/* span_driver: an engine for spans of tracepoints, driven by hand: its events, and its results. */
#pragma once

#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <iotrace/error.h>
#include <iotrace/frame.h>
#include <iotrace/span_engine.h>
#include <iotrace/trace.h>
#include <map>
#include <string>
#include <vector>

class SpanDriver
{
      public:
	struct trace trace = {};
	std::vector<struct span *> spans;
	struct span_engine *engine = nullptr;
	std::vector<struct span_seen> seen;
	std::vector<std::string> notes;
	std::deque<struct decode_event> fields;
	struct frames *frames = nullptr; /* of the test; gets all spans, too */

	/* `change` is called with each span before the engine gets it. */
	SpanDriver(const std::vector<std::string> &texts, void (*change)(struct span *))
		: SpanDriver(texts, false, change)
	{
	}
	explicit SpanDriver(const std::vector<std::string> &texts, bool has_notes = false,
			    void (*change)(struct span *) = nullptr)
	{
		struct error err = {};

		trace_init(&trace);
		for (const std::string &text : texts) {
			bool is_name = text.find(':') == std::string::npos;
			spans.push_back(is_name ? span_find(text.c_str(), &err)
						: span_parse(text.c_str(), &err));
			EXPECT_NE(spans.back(), nullptr) << err.text;
			if (change)
				change(spans.back());
		}
		struct span_output output = {};
		output.seen = [](void *context, const struct span_seen *s) {
			SpanDriver *driver = static_cast<SpanDriver *>(context);

			driver->seen.push_back(*s);
			if (driver->frames)
				frames_seen(driver->frames, s);
		};
		output.begun = [](void *context, const struct span_seen *s) {
			SpanDriver *driver = static_cast<SpanDriver *>(context);

			if (driver->frames)
				frames_begun(driver->frames, s);
		};
		output.left = [](void *context, const struct span_seen *s) {
			SpanDriver *driver = static_cast<SpanDriver *>(context);

			if (driver->frames)
				frames_left(driver->frames, s);
		};
		if (has_notes)
			output.note = [](void *context, const struct span_note *note) {
				static_cast<SpanDriver *>(context)->notes.emplace_back(note->text);
			};
		output.context = this;
		engine = span_engine_new(spans.data(), static_cast<uint32_t>(spans.size()), &trace,
					 &output);
	}
	~SpanDriver()
	{
		span_engine_free(engine);
		for (struct span *span : spans)
			span_free(span);
		trace_release(&trace);
	}
	SpanDriver(const SpanDriver &) = delete;
	SpanDriver &operator=(const SpanDriver &) = delete;

	/* Defines the numbers and strings of a tracepoint. */
	void define(const char *name, const std::vector<const char *> &numbers,
		    const std::vector<const char *> &strings = {})
	{
		struct decode_event event = {};

		event.name = name;
		for (const char *number : numbers)
			event.number[event.numbers++] = number;
		for (const char *string : strings)
			event.string[event.strings++] = string;
		fields.push_back(event);
		span_engine_define(engine, index(name), &fields.back());
	}

	uint32_t index(const char *name)
	{
		const struct text_list *events = span_engine_events(engine);

		for (uint32_t i = 0; i < events->count; i++)
			if (!strncmp(events->item[i], name, strlen(name)) &&
			    events->item[i][strlen(name)] == '=')
				return i;
		ADD_FAILURE() << name;
		return 0;
	}

	void happens(uint64_t time, const char *name, const std::vector<uint64_t> &numbers,
		     uint32_t pid = 1, uint32_t tid = 1,
		     const std::vector<std::string> &strings = {})
	{
		struct event event = {};

		event.kind = EVENT_TRACEPOINT;
		event.time = time;
		event.pid = pid;
		event.tid = tid;
		event.tracepoint.event = index(name);
		for (uint64_t number : numbers)
			event.tracepoint.number[event.tracepoint.numbers++] = number;
		for (const std::string &string : strings)
			event.tracepoint.string[event.tracepoint.strings++] = {
				string.data(), static_cast<uint32_t>(string.size())};
		span_engine_tracepoint(engine, &event);
	}

	void exits(uint64_t time, uint32_t pid, int status = -1)
	{
		struct event event = {};

		event.time = time;
		event.pid = event.tid = pid;
		event.kind = EVENT_STATUS;
		event.status = status;
		if (status >= 0)
			span_engine_event(engine, &event);
		event.kind = EVENT_EXIT;
		span_engine_event(engine, &event);
	}

	void forks(uint64_t time, uint32_t pid, uint32_t child)
	{
		struct event event = {};

		event.kind = EVENT_FORK;
		event.time = time;
		event.pid = event.tid = pid;
		event.fork.child_pid = event.fork.child_tid = child;
		span_engine_event(engine, &event);
	}

	void is_called(uint32_t tid, const std::string &name)
	{
		struct event event = {};

		event.kind = EVENT_COMM;
		event.pid = event.tid = tid;
		event.comm.name = {name.data(), static_cast<uint32_t>(name.size())};
		span_engine_event(engine, &event);
	}

	const struct span_books &books(uint32_t span = 0)
	{
		return *span_engine_books(engine, span);
	}

	std::string group(const struct span_seen &s)
	{
		char text[256];
		size_t length = span_engine_group(engine, s.span, s.group, text, sizeof(text));

		return std::string(text, length);
	}

	std::string key(const struct span_seen &s)
	{
		char text[256];
		size_t length = span_engine_key(engine, &s, text, sizeof(text));

		return std::string(text, length);
	}
};

/* Checks that every begun span has a fate. */
inline void expect_balance(const struct span_books &books)
{
	uint64_t sum = 0;

	for (uint64_t count : books.fate)
		sum += count;
	EXPECT_EQ(books.begun, sum);
}
