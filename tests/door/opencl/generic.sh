#!/bin/sh
# generic.sh BUILD: pointers without an address space, which may lead to any memory.
# Multiprocessors have instructions for them. Compute units do not: a program that needs
# them is refused with its line, and runs where the compiler can do without.
set -eu
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

run() # GPU
{
	"$build/heddle" exec -q --functional --gpu "$1" -- \
		"$build/tests/opencl_language" program.cl -cl-std=CL2.0 \
		>out 2>err
}
want() # TEXT
{
	grep -qF "$1" err && return
	echo "not said: $1"
	cat err
	exit 1
}
refused() # TEXT
{
	run h200 || { cat out err; exit 1; }
	if run hd7970; then
		echo "not refused"
		exit 1
	fi
	want "$1"
	want "Southern Islands has no instructions for such pointers"
	if grep -q "PLEASE submit" err; then exit 1; fi
}

cat >program.cl <<'END'
kernel void store(global int *out, global const int *in, local int *t)
{
	int *p = in[0] & 1 ? (int *)out : (int *)t;
	*p = 1;
}
END
refused "error: function 'store': the memory of a pointer"
cat >program.cl <<'END'
struct node {
	int v;
	struct node *next;
};
kernel void load(global int *out, global const int *in)
{
	local struct node a;
	struct node b = { 5, (struct node *)&a };
	struct node *p = &b;

	a.v = 7;
	a.next = in[1] ? &b : 0;
	for (int i = 0; i < 4 && p; i++, p = p->next)
		out[i] = p->v;
}
END
refused "program.cl:"
cat >program.cl <<'END'
kernel void atom(global atomic_int *out, global const int *in,
		 local atomic_int *t)
{
	atomic_int *p = in[0] & 1 ? (atomic_int *)out : (atomic_int *)t;
	atomic_fetch_add(p, 1);
}
END
refused "function 'atom'"
# The function is put where it is called; alone, nobody needs it.
cat >program.cl <<'END'
int first(int *p) { return *p; }
kernel void both(global int *out, global const int *in, local int *t)
{
	if (get_local_id(0) == 0)
		t[0] = 3;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = first(t) + first((global int *)in);
}
END
run h200 && mv out h200
run hd7970 || { cat out err; exit 1; }
cmp out h200
