/* How pages look: the style sheet, and the colours that pictures share. */
#ifndef HEDDLE_EXPLORE_STYLE_H
#define HEDDLE_EXPLORE_STYLE_H

extern const char page_style[];

/* The colour class of a reason, by enum reason: "r-issued" ... */
const char *style_reason(int reason);

#endif
