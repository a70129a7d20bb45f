/* bpf_passing: which records change neither processes, descriptors nor names. */
#include "bpf.h"

bool bpf_is_passing(const struct sample *sample, const struct arch *arch)
{
	struct bpf_record_call record;

	if (sample->raw_size < sizeof(record.head))
		return false;
	memcpy(&record.head, sample->raw, sizeof(record.head));
	switch (record.head.kind) {
	case BPF_RECORD_IN_FLIGHT: /* what the call changes, its end says */
	case BPF_RECORD_REQUEST:
	case BPF_RECORD_FAULT:
	case BPF_RECORD_WRITEBACK:
		return true;
	case BPF_RECORD_CALL:
		break;
	default:
		return false;
	}
	if (record.head.parts || !arch || sample->raw_size < sizeof(record))
		return false;
	memcpy(&record, sample->raw, sizeof(record));
	return call_is_passing(arch_call(arch, record.number));
}
