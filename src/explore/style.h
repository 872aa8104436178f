/* The style sheet of pages, and the colours that pictures share. */
#ifndef HEDDLE_EXPLORE_STYLE_H
#define HEDDLE_EXPLORE_STYLE_H

extern const char page_style[];

/* The CSS class of a reason (enum reason): "r-issued" and so on. */
const char *style_reason(int reason);

#endif
