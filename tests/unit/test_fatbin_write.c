#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door/cli/fatbin_write.h"
#include "door/rt/fatbin.h"

TEST(fatbin_write, the_reader_finds_every_image_and_its_ptx)
{
	const char old[] = ".version 7.2\n.target sm_70\n";
	const char new[] = ".version 7.2\n.target sm_80\n.address_size 64\n";
	const struct code_image images[] = {
		{ new, strlen(new), false, 80, 7, 2 },
		{ old, strlen(old), false, 70, 7, 2 },
	};
	struct fatbin_image im = { 0 };
	struct fatbin f;
	struct diag d;
	char *data = NULL, *text;
	size_t size = 0, length;
	FILE *to = open_memstream(&data, &size);

	EQ(ERR_OK, fatbin_write(to, "a.cu", images, 2, &d));
	fclose(to);
	EQ(ERR_OK, fatbin_open(&f, data, size, &d));
	EQ(2, f.images);
	for (int i = 0; i < 2; i++) {
		EQ(1, fatbin_next(&f, &im));
		EQ(FATBIN_PTX, im.kind);
		EQ(FATBIN_PLAIN, im.packing);
		EQ(images[i].sm, im.sm);
		EQ(4, im.name_size);
		EQ(0, memcmp(im.name, "a.cu", 4));
	}
	EQ(0, fatbin_next(&f, &im));
	EQ(ERR_OK, fatbin_ptx(&f, 75, NULL, &text, &length, &d));
	EQ(0, strcmp(text, old));
	free(text);
	EQ(ERR_OK, fatbin_ptx(&f, 90, NULL, &text, &length, &d));
	EQ(0, strcmp(text, new));
	free(text);
	EQ(ERR_UNSUPP, fatbin_ptx(&f, 60, NULL, &text, &length, &d));
	free(data);
}

TEST(fatbin_write, a_full_disk_is_said)
{
	const struct code_image image = { "x", 1, false, 80, 7, 2 };
	FILE *to = fopen("/dev/full", "w");
	struct diag d;

	if (!to)
		return;
	EQ(ERR_IO, fatbin_write(to, "a.cu", &image, 1, &d));
	fclose(to);
}

TEST(fatbin_write, the_reader_finds_machine_code_beside_ptx)
{
	static const char ptx[] = ".version 7.2\n.target sm_80\n";
	static const char elf[] = "\x7f"
				  "ELF and so on";
	const struct code_image images[] = {
		{ ptx, strlen(ptx), false, 80, 7, 2 },
		{ elf, sizeof(elf), true, 90, 1, 7 },
	};
	struct fatbin_image im = { 0 };
	struct fatbin f;
	struct diag d;
	char *data = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&data, &size);

	EQ(ERR_OK, fatbin_write(to, "a.cu", images, 2, &d));
	fclose(to);
	EQ(ERR_OK, fatbin_open(&f, data, size, &d));
	EQ(1, fatbin_next(&f, &im));
	EQ(FATBIN_PTX, im.kind);
	EQ(1, fatbin_next(&f, &im));
	EQ(FATBIN_ELF, im.kind);
	EQ(90, im.sm);
	EQ(0, memcmp(im.data, elf, sizeof(elf)));
	free(data);
}
