# Makes the tables of docs/engines.md from those of `heddle engines --out` and
# of the paper; see bench/lee-ro-tables. table: speed, cycles, sms, blocks or
# mix.
#
# `scan 65536` is ours: the paper has no numbers for it.
function cell(v, digits) { return v == "" ? "" : sprintf("%." digits "f", v) }
function count(v) {
	v = sprintf("%.0f", v)
	while (match(v, /[0-9][0-9][0-9][0-9]($|,)/))
		v = substr(v, 1, RSTART) "," substr(v, RSTART + 1)
	return v
}
function row(line) { print "| " line " |" }
function rule(n, s) { for (s = "|"; n > 0; n--) s = s "---|"; print s }
function name(s) { gsub(/"/, "", s); return s }
function of_paper(label, key) {
	split(label, word, " ")
	return label == "scan 65536" ? "" : paper[word[1] "," key]
}
FILENAME ~ /lee-ro.csv$/ {
	for (i = 1; i <= NF; i++)
		if (FNR == 1) title[i] = $i; else paper[$1 "," title[i]] = $i
	next
}
FNR == 1 {
	for (i = 1; i <= NF; i++) head[i] = $i
	n = 0
	for (i = 2; i <= NF; i++) {
		split(head[i], word, " ")
		if (word[1] != "serial" && table != "mix" && !(word[1] in seen)) {
			seen[word[1]] = 1
			engine[++n] = word[1]
		}
	}
	next
}
{
	label[++programs] = name($1)
	for (i = 2; i <= NF; i++) value[label[programs], head[i]] = $i
}
function get(p, key) { return value[p, key] }
# Engines that can have errors; the others are exact.
function errs(e) { return e != "exact" && e != "cycle" }
function speed(  i, k, line) {
	line = "program | `serial`, s | M instr./s"
	for (k = 1; k <= n; k++) line = line " | `" engine[k] "`"
	row(line); rule(n + 3)
	for (i = 1; i <= programs; i++) {
		line = "`" label[i] "` | " cell(get(label[i], "serial seconds"), 4) \
			" | " cell(get(label[i], "serial warp-instructions/s") / 1e6, 2)
		for (k = 1; k <= n; k++) {
			v = get(label[i], engine[k] " speed-up")
			line = line " | " cell(v, 2)
			sum[k] += log(v)
		}
		row(line)
	}
	line = "geometric mean | | "
	for (k = 1; k <= n; k++) line = line " | " cell(exp(sum[k] / programs), 2)
	row(line)
}
function cycles(  i, k, line, columns) {
	line = "program | cycles"
	columns = 6
	for (k = 1; k <= n; k++)
		if (errs(engine[k])) {
			line = line " | `" engine[k] "` error | CV | late"
			columns += 3
		}
	row(line " | paper: S10 error | CV | WGP error | CV"); rule(columns)
	for (i = 1; i <= programs; i++) {
		line = "`" label[i] "` | " count(get(label[i], "serial cycles"))
		for (k = 1; k <= n; k++)
			if (errs(engine[k]))
				line = line " | " \
					cell(get(label[i], engine[k] " error %"), 2) " | " \
					cell(get(label[i], engine[k] " variation %"), 2) " | " \
					count(get(label[i], engine[k] " late messages"))
		row(line " | " of_paper(label[i], "S10 error") " | " \
			of_paper(label[i], "S10 CV") " | " \
			of_paper(label[i], "WGP error") " | " \
			of_paper(label[i], "WGP CV"))
	}
}
function sms(  i, k, line, columns) {
	line = "program"
	columns = 1
	for (k = 1; k <= n; k++)
		if (errs(engine[k])) {
			line = line " | `" engine[k] "` accuracy | worst SM off by | CV"
			columns += 3
		}
	row(line); rule(columns)
	for (i = 1; i <= programs; i++) {
		line = "`" label[i] "`"
		for (k = 1; k <= n; k++)
			if (errs(engine[k]))
				line = line " | " \
					cell(get(label[i], engine[k] " accuracy %"), 2) " | " \
					cell(get(label[i], engine[k] " worst error %"), 1) " | " \
					cell(get(label[i], engine[k] " variation %"), 2)
		row(line)
	}
}
function blocks(  i) {
	row("program | deviation | gap | paper: deviation | gap"); rule(5)
	for (i = 1; i <= programs; i++)
		row("`" label[i] "` | " count(get(label[i], "serial deviation")) \
			" | " count(get(label[i], "serial gap")) " | " \
			of_paper(label[i], "deviation") " | " of_paper(label[i], "gap"))
}
function mix(  i, k, line) {
	split("INT/FP,branch,load,store,other", kind, ",")
	split("SMs,network,memory,rest", part, ",")
	split("CU,ICNT,DRAM,", theirs, ",")
	row("program | INT/FP | branch | load | store | other | SMs | network | " \
		"memory | rest"); rule(10)
	for (i = 1; i <= programs; i++) {
		line = "`" label[i] "`"
		for (k = 1; k <= 5; k++)
			line = line " | " cell(get(label[i], kind[k] " %"), 1)
		for (k = 1; k <= 4; k++)
			line = line " | " cell(get(label[i], "host time of " part[k] " %"), 1)
		row(line)
		if (of_paper(label[i], "CU") == "") continue
		line = "paper"
		for (k = 1; k <= 5; k++)
			line = line " | " of_paper(label[i], kind[k])
		for (k = 1; k <= 4; k++)
			line = line " | " of_paper(label[i], theirs[k])
		row(line)
	}
}
END {
	if (table == "speed") speed()
	if (table == "cycles") cycles()
	if (table == "sms") sms()
	if (table == "blocks") blocks()
	if (table == "mix") mix()
}
