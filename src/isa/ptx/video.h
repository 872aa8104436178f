/* What a video instruction does, as the lowering leaves it in in->x. */
#ifndef HEDDLE_ISA_PTX_VIDEO_H
#define HEDDLE_ISA_PTX_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

enum video_op {
	VIDEO_ADD,
	VIDEO_SUB,
	VIDEO_ABSDIFF,
	VIDEO_MIN,
	VIDEO_MAX,
	VIDEO_AVRG,
	VIDEO_SET,
	VIDEO_SHL,
	VIDEO_SHR,
	VIDEO_MAD
};

enum video_op2 { VIDEO2_NONE, VIDEO2_ADD, VIDEO2_MIN, VIDEO2_MAX };

/* An operand's selector: .b2 or .h1, or several digits for packed ones. */
struct video_part {
	char letter;      /* 'b', 'h', or 0: the whole register */
	uint8_t digit[4]; /* lowest element first */
	bool is_signed, negated;
};

struct video_info {
	enum video_op op;
	enum video_op2 op2;
	struct video_part d, a, b;
	uint8_t elements; /* 2 or 4 of a packed one; 0: scalar */
	uint8_t mask;     /* elements that a packed one writes */
	uint8_t truth;    /* of VIDEO_SET: IF_ bits */
	uint8_t scale;    /* of VIDEO_MAD: bits to shift right */
	bool sat, wrap, plus_one, c_negated;
};

#endif
