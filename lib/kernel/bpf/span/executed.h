/*
 * executed: a thread that executes a program gets the number of the first thread of its process, also if it is another one. Its call
 * goes on, and ends under that number.
 *
 * If a 64-bit program executes a 32-bit one, its call ends as a 32-bit call: see ends_execve().
 */
#pragma once

/* Whoever had the number has ended. */
static __always_inline void go_on(const uint64_t *key, struct bpf_span_open *moved,
				  struct bpf_span_books *books)
{
	struct place place = place_of(key);
	struct bpf_span_open *open = find_open(&place, key);

	if (open)
		give_up(open, books);
	else
		open = take_home(&place, key);
	if (open) {
		*open = *moved;
		keep_open(&place);
	} else if (insert_open(&place, key, moved)) {
		land(moved, bpf_ktime_get_ns());
		count(&books->left, spans_in(moved));
	}
}

SEC("raw_tp/sched_process_exec")
int BPF_PROG(thread_executes, struct task_struct *task, int before)
{
	uint64_t now = (uint32_t)bpf_get_current_pid_tgid();
	uint64_t key[BPF_SPAN_KEYS] = {(uint32_t)before}, next[BPF_SPAN_KEYS] = {now};
	struct bpf_span_books *books = books_of_cpu();
	struct bpf_span_open *open, moved;
	struct place place;

	if (!books || key[0] == now)
		return 0;
	place = place_of(key);
	open = find_open(&place, key);
	if (!open)
		return 0;
	moved = *open;
	moved.tid = now;
	remove_open(&place, key);
	if (moved.begin)
		go_on(next, &moved, books);
	return 0;
}
