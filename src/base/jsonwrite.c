#include "base/jsonwrite.h"

#include <inttypes.h>
#include <math.h>

#include "base/utf8.h"

static void json_quote(FILE *to, const char *s)
{
	fputc('"', to);
	while (*s) {
		unsigned char c = (unsigned char)*s;
		size_t n = utf8_length(s);

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20)
			fprintf(to, "\\u%04x", c);
		else if (n)
			fwrite(s, 1, n, to);
		else
			fputs("\\ufffd", to);
		s += n ? n : 1;
	}
	fputc('"', to);
}

static void json_begin(struct json *j, const char *key)
{
	if (j->comma)
		fputs(j->flat ? ", " : ",", j->to);
	if (j->depth && !j->flat)
		fprintf(j->to, "\n%*s", (int)(2 * j->depth), "");
	if (key) {
		json_quote(j->to, key);
		fputs(": ", j->to);
	}
	j->comma = true;
}

void json_open(struct json *j, const char *key, char what)
{
	json_begin(j, key);
	fputc(what, j->to);
	j->depth++;
	j->comma = false;
}

void json_open_line(struct json *j, const char *key, char what)
{
	json_open(j, key, what);
	if (!j->flat)
		j->flat = j->depth;
}

void json_close(struct json *j, char what)
{
	j->depth--;
	if (j->comma && !j->flat)
		fprintf(j->to, "\n%*s", (int)(2 * j->depth), "");
	if (j->flat > j->depth)
		j->flat = 0;
	fputc(what == '{' ? '}' : ']', j->to);
	j->comma = true;
	if (!j->depth)
		fputc('\n', j->to);
}

void json_string(struct json *j, const char *key, const char *v)
{
	json_begin(j, key);
	json_quote(j->to, v);
}

void json_uint(struct json *j, const char *key, uint64_t v)
{
	json_begin(j, key);
	fprintf(j->to, "%" PRIu64, v);
}

void json_uints(struct json *j, const char *key, const uint32_t *v, size_t n)
{
	json_begin(j, key);
	fputc('[', j->to);
	for (size_t i = 0; i < n; i++)
		fprintf(j->to, "%s%" PRIu32, i ? ", " : "", v[i]);
	fputc(']', j->to);
}

void json_real(struct json *j, const char *key, double v)
{
	json_begin(j, key);
	if (isfinite(v))
		fprintf(j->to, "%.17g", v);
	else
		fputs("null", j->to);
}

void json_bool(struct json *j, const char *key, bool v)
{
	json_begin(j, key);
	fputs(v ? "true" : "false", j->to);
}

void json_null(struct json *j, const char *key)
{
	json_begin(j, key);
	fputs("null", j->to);
}

void json_key(struct json *j, const char *key)
{
	json_begin(j, key);
}
