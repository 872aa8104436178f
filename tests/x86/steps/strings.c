/* String instructions, forwards and backwards; bytes one by one; a hash. */
#include "start.h"

static char text[600], other[600];

static __attribute__((noinline)) size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static __attribute__((noinline)) uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	while (*s)
		h = (h ^ (uint8_t)*s++) * 16777619u;
	return h;
}

static size_t scan(const char *s, char what, size_t most)
{
	const char *at = s;

	__asm__ volatile("repne scasb" : "+D"(at), "+c"(most) : "a"(what));
	return (size_t)(at - s);
}

static size_t differ(const char *a, const char *b, size_t most)
{
	__asm__ volatile("xor %%eax, %%eax; repe cmpsb"
			 : "+S"(a), "+D"(b), "+c"(most)
			 :
			 : "rax");
	return most;
}

static void backwards(char *to, const char *from, size_t words)
{
	to += 8 * words - 8;
	from += 8 * words - 8;
	__asm__ volatile("std; rep movsq; cld"
			 : "+D"(to), "+S"(from), "+c"(words)
			 :
			 : "memory");
}

static uint64_t load(const void *from)
{
	uint64_t sum = 0, v = 0;

	for (int i = 0; i < 8; i++) {
		__asm__ volatile("lodsq" : "+S"(from), "=a"(v));
		sum = sum * 31 + v;
		__asm__ volatile("lodsw" : "+S"(from), "+a"(v));
		sum ^= v;
	}
	return sum;
}

int main(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < 500; i++)
		text[i] = (char)('a' + next() % 26);
	memcpy(other, text, sizeof(text));
	sum += length(text) + hash(text);
	sum += scan(text, 'q', 500) + scan(text, 'Q', 300);
	other[333] ^= 1;
	sum += differ(text, other, 500);
	backwards(other + 40, text, 30);
	sum += hash(other) + load(other);
	memset(text + 100, 'x', 77);
	sum += hash(text);
	return (int)(sum & 0x7f);
}
