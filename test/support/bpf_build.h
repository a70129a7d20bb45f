/*
 * bpf_build: records of BPF programs, made by hand.
 */
#ifndef BPF_BUILD_H
#define BPF_BUILD_H

#include <iotrace/bpf_record.h>
#include <iotrace/event.h>

#include <cstring>
#include <string>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <vector>

class BpfRecord
{
      public:
	explicit BpfRecord(uint16_t kind, int32_t number = 0, uint64_t begin = 0,
			   std::vector<uint64_t> args = {}, int64_t result = 0)
	{
		call.head.kind = kind;
		call.head.size = sizeof(call);
		call.number = number;
		call.begin = begin;
		call.result = result;
		call.position = EVENT_POSITION_UNKNOWN;
		for (size_t i = 0; i < args.size(); i++)
			call.arg[i] = args[i];
	}

	BpfRecord &position(uint64_t position)
	{
		call.position = position;
		return *this;
	}

	BpfRecord &path(const std::string &text, uint16_t index = 0, uint16_t flags = 0)
	{
		bpf_part part{};

		part.kind = BPF_PART_PATH;
		part.index = index;
		part.flags = flags;
		return add(&part, sizeof(part), text);
	}

	/* `names`: those of the dentries, leaf first. */
	BpfRecord &file(int32_t fd, const std::vector<std::string> &names, uint16_t flags = 0,
			uint32_t magic = 0xef53, uint16_t index = 0)
	{
		bpf_part_file f{};
		std::string text;

		f.part.kind = BPF_PART_FILE;
		f.part.index = index;
		f.part.flags = flags;
		f.fd = fd;
		f.flags = 0x8002;
		f.mode = 0100644;
		f.magic = magic;
		f.major = 8;
		f.minor = 300;
		f.ino = 77;
		f.mnt_id = 21;
		f.position = 5;
		for (const std::string &name : names)
			text += name + '\0';
		return add(&f, sizeof(f), text);
	}

	/* The current directory after the call. */
	BpfRecord &directory(const std::vector<std::string> &names, uint16_t flags = 0)
	{
		bpf_part_file f{};
		std::string text;

		f.part.kind = BPF_PART_DIRECTORY;
		f.part.flags = flags;
		f.fd = -1;
		for (const std::string &name : names)
			text += name + '\0';
		return add(&f, sizeof(f), text);
	}

	/* The start directory of the relative path `index`. */
	BpfRecord &base(const std::vector<std::string> &names, uint16_t index, uint16_t flags = 0)
	{
		bpf_part_file f{};
		std::string text;

		f.part.kind = BPF_PART_BASE;
		f.part.index = index;
		f.part.flags = flags;
		f.fd = -1;
		for (const std::string &name : names)
			text += name + '\0';
		return add(&f, sizeof(f), text);
	}

	/* Adds a part whose head has `bytes` bytes; its size includes the text. */
	BpfRecord &add(void *head, size_t bytes, const std::string &text)
	{
		auto *part = static_cast<bpf_part *>(head);

		part->size = static_cast<uint16_t>(bytes + text.size());
		pad();
		parts.append(static_cast<char *>(head), bytes);
		parts += text;
		call.head.parts++;
		return *this;
	}

	std::vector<uint8_t> bytes() const
	{
		const auto *at = reinterpret_cast<const uint8_t *>(&call);
		std::vector<uint8_t> all(at, at + sizeof(call));

		all.insert(all.end(), parts.begin(), parts.end());
		return all;
	}

	bpf_record_call call{};
	std::string parts;

      private:
	void pad()
	{
		parts.resize((parts.size() + 7) / 8 * 8);
	}
};

/* The bytes of any other record, then its parts. */
template <typename T> std::vector<uint8_t> bytes_of(const T &record, const std::string &parts = "")
{
	const auto *at = reinterpret_cast<const uint8_t *>(&record);
	std::vector<uint8_t> all(at, at + sizeof(record));

	all.insert(all.end(), parts.begin(), parts.end());
	return all;
}

#endif
