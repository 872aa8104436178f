/*
 * A byte-code interpreter: its switch is dense enough for a jump table, and
 * the lanes of a warp are at different instructions.
 *
 * nvcc: --jump-table-density=50
 */
extern "C" __global__ void switch_dense(const unsigned char *code, int size,
					int rounds, unsigned *out)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	unsigned a = i, b = 1, top = 0, stack[8] = {};
	int pc = i % size;

	for (int r = 0; r < rounds; r++) {
		switch (code[pc]) {
		case 0: a += b; break;
		case 1: a ^= b << 3; break;
		case 2: b = a * 2654435761u; break;
		case 3: stack[top++ & 7] = a; break;
		case 4: a = stack[--top & 7]; break;
		case 5: a = a > b ? a - b : b - a; break;
		case 6: b = __popc(a) + r; break;
		case 7: a = (a >> 5) | (a << 27); break;
		case 8: if (a & 1) pc += 2; break;
		case 9: a = ~a; break;
		case 10: b += out[i] + 7; break;
		case 11: out[i] = a; break;
		case 12: a = a % (b | 1); break;
		case 13: b = a / ((b & 15) + 1); break;
		case 14: top = b & 7; /* falls through */
		case 15: a += top; break;
		default: a = 0; b++; break;
		}
		pc = (pc + 1) % size;
	}
	out[i] = a ^ (b * 31) ^ (top << 24);
}
