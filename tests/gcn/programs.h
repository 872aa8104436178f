/* The kernels of programs.cl, compiled for the host: programs.c. */
#ifndef TESTS_GCN_PROGRAMS_H
#define TESTS_GCN_PROGRAMS_H

extern int program_id; /* get_global_id(0) */

void integers(int *out, const int *in, int n);
void longs(long *out, const long *in, int n);
void floats(float *out, const float *in, int n);
void functions(float *out, const float *in, int n);
void doubles(double *out, const double *in, int n);
void pieces(unsigned char *out, const unsigned char *in, const short *shorts,
	    int n);
void paths(float *out, const int *in, int n);

#endif
