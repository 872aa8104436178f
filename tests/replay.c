/*
 * Runs a fuzz target once over the empty input and every file of its corpus,
 * in the order of their names, where there is no libFuzzer. An input that takes
 * longer than the limit is a failure.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Seconds for one input; more than in scripts/fuzz, as other tests run beside. */
enum { LIMIT = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	int rc = 1;

	if (f && fseek(f, 0, SEEK_END) == 0)
		size = ftell(f);
	if (size >= 0)
		data = malloc(size ? (size_t)size : 1);
	if (data) {
		rewind(f);
		rc = fread(data, 1, (size_t)size, f) != (size_t)size;
	}
	alarm(LIMIT);
	if (rc)
		perror(path);
	else
		LLVMFuzzerTestOneInput(data, (size_t)size);
	alarm(0);
	free(data);
	if (f)
		fclose(f);
	return rc;
}

int main(int argc, char **argv)
{
	struct dirent **files = NULL;
	int n = argc > 1 ? scandir(argv[1], &files, NULL, alphasort) : 0;
	int count = 0, rc = 0;
	uint8_t nothing = 0;

	LLVMFuzzerTestOneInput(&nothing, 0);
	for (int i = 0; i < n; i++) {
		char path[4096];

		if (files[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", argv[1],
				 files[i]->d_name);
			rc |= replay(path);
			count++;
		}
		free(files[i]);
	}
	free(files);
	printf("%d files replayed\n", count);
	return rc;
}
