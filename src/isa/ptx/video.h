/* in->x of a video instruction: its operation, selectors and modes. */
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

/* An operand's selector: .b2 or .h1; several digits if it is packed. */
struct video_part {
	char letter;      /* 'b', 'h', or 0: the whole register */
	uint8_t digit[4]; /* lowest element first */
	bool is_signed, negated;
};

struct video_info {
	enum video_op op;
	enum video_op2 op2;
	struct video_part d, a, b;
	uint8_t elements; /* packed: 2 or 4; scalar: 0 */
	uint8_t mask;     /* packed: elements that are written */
	uint8_t truth;    /* of VIDEO_SET: IF_ bits */
	uint8_t scale;    /* of VIDEO_MAD: bits to shift right */
	bool sat, wrap, plus_one, c_negated;
};

#endif
