#include "isa/ptx/exec_rows.h"

exec_fn *const exec_table[PTX_OP_COUNT] = {
#define ROW(id, ...) [PTX_OP_##id] = exec_##id,
#define LANE1 ROW
#define LANE2 ROW
#define LANE3 ROW
#define LANE4 ROW
#define CARRY2 ROW
#define CARRY3 ROW
#define SETP ROW
#define SET ROW
#define SELP ROW
#define TEST1 ROW
#define WARP(id, pattern, form, unit, lat, kind, replay, fn) [PTX_OP_##id] = fn,
#include "isa/ptx/ptx.def"
};
