/* Global memory as the host sees it: allocation, copies, mappings. */
#include <inttypes.h>
#include <string.h>

#include "api/device.h"

int heddle_alloc(struct heddle_device *dev, uint64_t size, heddle_ptr *out,
		 struct heddle_error *err)
{
	struct diag d;

	return api_result(gmem_alloc(&dev->gmem, size, out, &d), &d, err);
}

/* The range that contains p; size 0: there is none. */
static struct range range_at(const struct heddle_device *dev, uint64_t p)
{
	const struct range *r = gmem_find(&dev->gmem, p, 1);

	return r ? *r : (struct range){ 0 };
}

int heddle_free(struct heddle_device *dev, heddle_ptr p,
		struct heddle_error *err)
{
	const struct range r = range_at(dev, p);
	struct diag d;
	enum err e = gmem_free(&dev->gmem, p, &d);

	if (!e)
		tex_table_forget(&dev->textures, r.host, r.size);
	return api_result(e, &d, err);
}

static void memory_copied(struct heddle_device *dev, enum trace_copy_kind kind,
			  uint64_t at, uint64_t size)
{
	timed_note_copy(dev, at, size);
	record_copy(dev, &(struct trace_copy){
				 .kind = kind, .at = at, .bytes = size });
}

int heddle_write(struct heddle_device *dev, heddle_ptr to, const void *from,
		 uint64_t size, struct heddle_error *err)
{
	struct diag d;
	void *host;
	enum err e = gmem_host(&dev->gmem, to, size, &host, &d);

	if (!e) {
		memcpy(host, from, size);
		memory_copied(dev, TRACE_TO_DEVICE, to, size);
	}
	return api_result(e, &d, err);
}

int heddle_read(struct heddle_device *dev, void *to, heddle_ptr from,
		uint64_t size, struct heddle_error *err)
{
	struct diag d;
	void *host;
	enum err e = gmem_host(&dev->gmem, from, size, &host, &d);

	if (!e) {
		memcpy(to, host, size);
		memory_copied(dev, TRACE_FROM_DEVICE, from, size);
	}
	return api_result(e, &d, err);
}

int heddle_set(struct heddle_device *dev, heddle_ptr to, uint8_t value,
	       uint64_t size, struct heddle_error *err)
{
	struct diag d;
	void *host;
	enum err e = gmem_host(&dev->gmem, to, size, &host, &d);

	if (!e) {
		gmem_fill(&dev->gmem, to, value, size);
		timed_note_copy(dev, to, size);
		record_copy(dev, &(struct trace_copy){ .kind = TRACE_SET,
						       .at = to,
						       .bytes = size,
						       .value = value });
	}
	return api_result(e, &d, err);
}

int heddle_copy(struct heddle_device *dev, heddle_ptr to, heddle_ptr from,
		uint64_t size, struct heddle_error *err)
{
	struct diag d;
	void *target, *source;
	enum err e = gmem_host(&dev->gmem, from, size, &source, &d);

	if (!e)
		e = gmem_host(&dev->gmem, to, size, &target, &d);
	if (!e) {
		memmove(target, source, size);
		timed_note_copy(dev, to, size);
		record_copy(dev, &(struct trace_copy){ .kind = TRACE_INSIDE,
						       .at = to,
						       .bytes = size,
						       .from = from });
	}
	return api_result(e, &d, err);
}

int heddle_alloc_shared(struct heddle_device *dev, uint64_t size, void **out,
			struct heddle_error *err)
{
	struct diag d;
	uint64_t at = 0;
	enum err e = gmem_alloc_shared(&dev->gmem, size, &at, &d);

	if (!e)
		*out = (void *)(uintptr_t)at;
	return api_result(e, &d, err);
}

int heddle_map(struct heddle_device *dev, void *host, uint64_t size,
	       struct heddle_error *err)
{
	struct diag d;

	return api_result(gmem_map(&dev->gmem, host, size, &d), &d, err);
}

int heddle_stay(struct heddle_device *dev, heddle_ptr p,
		struct heddle_error *err)
{
	struct diag d;

	return api_result(gmem_stay(&dev->gmem, p, &d), &d, err);
}

int heddle_unmap(struct heddle_device *dev, void *host,
		 struct heddle_error *err)
{
	const struct range r = range_at(dev, (uintptr_t)host);
	struct diag d;
	enum err e = gmem_unmap(&dev->gmem, host, &d);

	if (!e)
		tex_table_forget(&dev->textures, r.host, r.size);
	return api_result(e, &d, err);
}

void heddle_memory_info(const struct heddle_device *dev, uint64_t *left,
			uint64_t *total)
{
	*left = dev->gmem.capacity - dev->gmem.used;
	*total = dev->gmem.capacity;
}

int heddle_range(const struct heddle_device *dev, heddle_ptr p,
		 heddle_ptr *base, uint64_t *size, struct heddle_error *err)
{
	const struct range r = range_at(dev, p);
	struct diag d;

	if (!r.size)
		return api_result(fail(&d, ERR_RANGE,
				       "0x%" PRIx64 ": nothing is allocated "
				       "there",
				       p),
				  &d, err);
	*base = r.base;
	*size = r.size;
	return api_result(ERR_OK, &d, err);
}
