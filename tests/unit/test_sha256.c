#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"

static void digest_of(char text[2 * SHA256_BYTES + 1], const void *bytes,
		      size_t n, size_t piece)
{
	unsigned char digest[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	for (size_t at = 0; at < n; at += piece)
		sha256_add(&s, (const char *)bytes + at,
			   n - at < piece ? n - at : piece);
	sha256_end(&s, digest);
	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

TEST(sha256, digests_are_those_of_the_standard)
{
	static const char two[] =
		"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	char text[2 * SHA256_BYTES + 1];

	digest_of(text, "", 0, 1);
	STREQ("e3b0c44298fc1c149afbf4c8996fb924"
	      "27ae41e4649b934ca495991b7852b855",
	      text);
	digest_of(text, "abc", 3, 3);
	STREQ("ba7816bf8f01cfea414140de5dae2223"
	      "b00361a396177a9cb410ff61f20015ad",
	      text);
	digest_of(text, two, strlen(two), strlen(two));
	STREQ("248d6a61d20638b8e5c026930c3e6039"
	      "a33ce45964ff2167f6ecedd419db06c1",
	      text);
}

TEST(sha256, pieces_give_the_digest_of_the_whole)
{
	char whole[2 * SHA256_BYTES + 1], pieces[2 * SHA256_BYTES + 1];
	char bytes[300];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(7 * i);
	for (size_t n = 0; n < sizeof(bytes); n++) {
		digest_of(whole, bytes, n, sizeof(bytes));
		for (size_t piece = 1; piece < 80; piece += 13) {
			digest_of(pieces, bytes, n, piece);
			STREQ(whole, pieces);
		}
	}
}
