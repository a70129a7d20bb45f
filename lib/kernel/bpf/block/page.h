/* page: the file whose page a bio moves between the page cache and a device. */
#pragma once

#include "bpf/base/page.h"
#include "bpf/block/block.h"

/* Reads a word of a page as a number; in some kernels it is a pointer. */
#define PAGE_WORD(page, field) PEEK_WORD((void *)(page) + bpf_core_field_offset((page)->field))

/* No page is described at so high an address, and no compound page takes so much memory for its description that its mask is lower. */
#define PAGE_MASKS (~0UL << 32)

/* Returns the page that the bio moves next, or the head of its compound page. */
static __always_inline struct page *page_of(struct bio *bio)
{
	void *vector = (void *)PEEK(bio, bi_io_vec) +
		       (uint64_t)bio->bi_iter.bi_idx * bpf_core_type_size(struct bio_vec);
	struct page *page = PEEK((struct bio_vec *)vector, bv_page);
	unsigned long whole = bpf_core_field_exists(page->compound_info)
				      ? PAGE_WORD(page, compound_info)
				      : PAGE_WORD(page, compound_head);

	if (!(whole & 1))
		return page;
	return (struct page *)(whole < PAGE_MASKS ? whole - 1 : (unsigned long)page & whole);
}

/*
 * Returns whether the page cache moves the page: it is being written, or has not been read yet. A page of a file may also be the
 * buffer of a program's direct I/O, which has nothing to do with the file of that page.
 */
static __always_inline bool is_of_cache(struct page *page, bool is_write)
{
	unsigned long flags = PEEK_WORD(page);

	if (is_write)
		return flags >> bpf_core_enum_value(enum pageflags, PG_writeback) & 1;
	return !(flags >> bpf_core_enum_value(enum pageflags, PG_uptodate) & 1);
}

/* Returns the inode of the page that the bio, which has data, moves next; NULL: the page is not in the page cache, or of no file. */
static __always_inline struct inode *inode_of_bio(struct bio *bio, bool is_write)
{
	struct page *page = page_of(bio);
	unsigned long mapping;

	if (!bpf_core_field_exists(page->mapping))
		return NULL;
	mapping = PAGE_WORD(page, mapping);
	/* The low bits mark pages that belong to no file. */
	if (!mapping || mapping & 3 || !is_of_cache(page, is_write))
		return NULL;
	return PEEK((struct address_space *)mapping, host);
}
