#include "door/cli/json.h"

#include <inttypes.h>
#include <math.h>

static void quoted(FILE *to, const char *s)
{
	fputc('"', to);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20)
			fprintf(to, "\\u%04x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

static void begin(struct json *j, const char *key)
{
	if (j->comma)
		fputc(',', j->to);
	if (j->depth)
		fprintf(j->to, "\n%*s", (int)(2 * j->depth), "");
	if (key) {
		quoted(j->to, key);
		fputs(": ", j->to);
	}
	j->comma = true;
}

void json_open(struct json *j, const char *key, char what)
{
	begin(j, key);
	fputc(what, j->to);
	j->depth++;
	j->comma = false;
}

void json_close(struct json *j, char what)
{
	j->depth--;
	if (j->comma)
		fprintf(j->to, "\n%*s", (int)(2 * j->depth), "");
	fputc(what == '{' ? '}' : ']', j->to);
	j->comma = true;
	if (!j->depth)
		fputc('\n', j->to);
}

void json_string(struct json *j, const char *key, const char *v)
{
	begin(j, key);
	quoted(j->to, v);
}

void json_uint(struct json *j, const char *key, uint64_t v)
{
	begin(j, key);
	fprintf(j->to, "%" PRIu64, v);
}

void json_uints(struct json *j, const char *key, const uint32_t *v, size_t n)
{
	begin(j, key);
	fputc('[', j->to);
	for (size_t i = 0; i < n; i++)
		fprintf(j->to, "%s%" PRIu32, i ? ", " : "", v[i]);
	fputc(']', j->to);
}

void json_real(struct json *j, const char *key, double v)
{
	begin(j, key);
	if (isfinite(v))
		fprintf(j->to, "%.17g", v);
	else
		fputs("null", j->to);
}

void json_bool(struct json *j, const char *key, bool v)
{
	begin(j, key);
	fputs(v ? "true" : "false", j->to);
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	fputs("null", j->to);
}

void json_key(struct json *j, const char *key)
{
	begin(j, key);
}
