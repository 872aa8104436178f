/*
 * The element types of arrays, and numbers that may become any of them.
 *
 * A number holds what the user wrote: an integer of 65 bits (sign and
 * magnitude) or a double. It is checked against a type before it is stored.
 */
#ifndef HEDDLE_CLI_VALUES_H
#define HEDDLE_CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/fp.h"
#include "heddle/heddle.h"

enum elem_class { ELEM_UNSIGNED, ELEM_SIGNED, ELEM_FLOAT };

#define ELEM_NO_TEXEL -1
#define ELEM_NO_FMT FP_FMT_COUNT

/*
 * NumPy has no bf16: it is stored as two untyped bytes, as the ml_dtypes
 * package does.
 *
 *  id  bytes class     format       npy    texel */
/* clang-format off */
#define ELEM_MAP(X) \
	X(u8,   1, UNSIGNED, ELEM_NO_FMT, "|u1", HEDDLE_TEXEL_U8) \
	X(s8,   1, SIGNED,   ELEM_NO_FMT, "|i1", HEDDLE_TEXEL_S8) \
	X(u16,  2, UNSIGNED, ELEM_NO_FMT, "<u2", HEDDLE_TEXEL_U16) \
	X(s16,  2, SIGNED,   ELEM_NO_FMT, "<i2", HEDDLE_TEXEL_S16) \
	X(u32,  4, UNSIGNED, ELEM_NO_FMT, "<u4", HEDDLE_TEXEL_U32) \
	X(s32,  4, SIGNED,   ELEM_NO_FMT, "<i4", HEDDLE_TEXEL_S32) \
	X(u64,  8, UNSIGNED, ELEM_NO_FMT, "<u8", ELEM_NO_TEXEL) \
	X(s64,  8, SIGNED,   ELEM_NO_FMT, "<i8", ELEM_NO_TEXEL) \
	X(f16,  2, FLOAT,    FP_F16,      "<f2", HEDDLE_TEXEL_F16) \
	X(bf16, 2, FLOAT,    FP_BF16,     "<V2", ELEM_NO_TEXEL) \
	X(f32,  4, FLOAT,    FP_F32,      "<f4", HEDDLE_TEXEL_F32) \
	X(f64,  8, FLOAT,    FP_F64,      "<f8", ELEM_NO_TEXEL)
/* clang-format on */

enum elem_type {
#define X(id, ...) ELEM_##id,
	ELEM_MAP(X)
#undef X
		ELEM_COUNT
};

struct elem_facts {
	const char *name;
	unsigned bytes;
	enum elem_class cls;
	enum fp_fmt fmt;
	const char *npy;
	int texel; /* enum heddle_texel, or ELEM_NO_TEXEL */
};

extern const struct elem_facts elem_info[ELEM_COUNT];

/* The names of all types, for messages, a space before each. */
#define ELEM_NAME_OF(id, ...) " " #id
#define ELEM_NAMES ELEM_MAP(ELEM_NAME_OF)
#define ELEM_MAX_BYTES 8

/* False: there is no such type. */
bool elem_find(const char *name, size_t length, enum elem_type *out);

struct number {
	bool is_float;
	bool negative; /* of an integer */
	uint64_t magnitude;
	double real; /* the value when is_float */
};

struct number number_int(int64_t v);
struct number number_uint(uint64_t v);
struct number number_float(double v);
double number_real(struct number n);

/*
 * Parses the whole text: 42, -1, 0x10, 0b101, 64K, 3.5, 1e-3, inf, nan. K, M
 * and G multiply integers by powers of 1024.
 */
MUST_USE enum err number_parse(struct number *out, const char *text,
			       size_t length, struct diag *d);
/* Parses an integer from 0 to `max`; `what` names it in messages. */
MUST_USE enum err number_parse_uint(uint64_t *out, const char *what,
				    const char *text, size_t length,
				    uint64_t max, struct diag *d);

/* ERR_RANGE or ERR_SYNTAX: the type cannot hold the number. */
MUST_USE enum err elem_accepts(enum elem_type type, struct number n,
			       struct diag *d);
/* Integers wrap, floats are rounded to nearest. */
void elem_store(enum elem_type type, void *at, struct number n);
struct number elem_load(enum elem_type type, const void *at);

#define NUMBER_TEXT 40
/* The shortest text that reads back as the same value of the type. */
void elem_print(char text[NUMBER_TEXT], enum elem_type type, struct number n);

/*
 * The element `index` of a stream of random numbers, the same on every
 * machine. Floats lie in [lo, hi), integers in [lo, hi].
 */
struct number elem_random(enum elem_type type, uint64_t key, uint64_t index,
			  struct number lo, struct number hi);
/* The default range of random values: [0, 1), or all values of the type. */
void elem_random_range(enum elem_type type, struct number *lo,
		       struct number *hi);
uint64_t random_key(uint64_t seed, uint64_t stream);

struct tolerance {
	double absolute, relative;
};

/*
 * Whether |got - want| <= absolute + relative * |want|; NaN equals NaN. *error
 * receives |got - want|, or infinity if that is not finite.
 */
bool number_close(struct number want, struct number got,
		  const struct tolerance *t, double *error);

/* FNV-1a, 64 bits: the same on every machine, and simple to reproduce. */
#define HASH_START 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif
