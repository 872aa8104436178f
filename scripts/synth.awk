# Lines "MODULE CELL COUNT" become the tables of docs/fastlanes-cost.md. A CELL that is a
# module is an instance of it. top: the whole. Fails if it is more than the device has.

function register(m)
{
	if (!(m in known)) {
		known[m] = ++modules
		order[modules] = m
	}
}

# Cells by what they take of the device. A LUT may be a memory or a shift register.
function kind_of(cell)
{
	if (cell ~ /^LUT[1-6]$/ || cell == "INV")
		return "logic"
	if (cell ~ /^(FDRE|FDSE|FDCE|FDPE)$/)
		return "registers"
	if (cell ~ /^SRL/)
		return "shift"
	if (cell ~ /^RAM[0-9]/)
		return "memory"
	if (cell ~ /^DSP48/)
		return "dsp"
	if (cell ~ /^RAMB/)
		return "block"
	if (cell !~ /^(CARRY4|MUXF[78]|GND|VCC|BUFG|seconds)$/) {
		print "synth: nobody knows what a cell " cell " takes" >"/dev/stderr"
		wrong = 1
	}
	return ""
}

# LUTs of a distributed memory, and the bits that it holds.
BEGIN {
	split("RAM32X1D 2 32 RAM32M 4 192 RAM64X1D 2 64 RAM64M 4 192 " \
		"RAM128X1D 4 128 RAM32X1S 1 32 RAM64X1S 1 64 RAM128X1S 2 128 " \
		"RAM256X1S 4 256", ram)
	for (i = 1; i in ram; i += 3) {
		ram_luts[ram[i]] = ram[i + 1]
		ram_bits[ram[i]] = ram[i + 2]
	}
	kinds = split("luts memory_luts registers bits block dsp", column)
	device["luts"] = 303600
	device["registers"] = 607200
	device["bits"] = 8175 * 1024
	device["block"] = 1030
	device["dsp"] = 2800
}

{
	register($1)
	count[$1, ++cells[$1]] = $3
	cell_of[$1, cells[$1]] = $2
	is_module[$1] = 1
}

function add_own(m, cell, n,	kind)
{
	kind = kind_of(cell)
	if (kind == "logic")
		own[m, "luts"] += n
	else if (kind == "shift") {
		own[m, "luts"] += n
		own[m, "memory_luts"] += n
	} else if (kind == "memory") {
		if (!(cell in ram_luts)) {
			print "synth: how many LUTs is a " cell "?" >"/dev/stderr"
			wrong = 1
		}
		own[m, "luts"] += n * ram_luts[cell]
		own[m, "memory_luts"] += n * ram_luts[cell]
		own[m, "bits"] += n * ram_bits[cell]
	} else if (kind == "block")
		own[m, "block"] += n * (cell ~ /^RAMB18/ ? 0.5 : 1)
	else if (kind != "")
		own[m, kind] += n
}

# The whole of a module, and how often modules are in it.
function total_of(m,	i, k, c)
{
	if (m in done)
		return
	done[m] = 1
	for (k = 1; k <= kinds; k++)
		total[m, column[k]] = own[m, column[k]] + 0
	for (i = 1; i <= cells[m]; i++) {
		c = cell_of[m, i]
		if (!(c in is_module))
			continue
		total_of(c)
		for (k = 1; k <= kinds; k++)
			total[m, column[k]] += count[m, i] * total[c, column[k]]
	}
}

function place(m, times,	i, c)
{
	instances[m] += times
	for (i = 1; i <= cells[m]; i++) {
		c = cell_of[m, i]
		if (c in is_module)
			place(c, times * count[m, i])
	}
}

# Numbers with commas.
function grouped(n,	text)
{
	text = sprintf("%.0f", n)
	while (match(text, /[0-9][0-9][0-9][0-9]($|,)/))
		text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
	return text
}

function row(name, luts, memory, registers, bits, block, dsp)
{
	printf "| %s | %s | %s | %s | %.0f | %g | %s |\n", name, grouped(luts),
		grouped(memory), grouped(registers), bits / 1024, block,
		grouped(dsp)
}

function module_row(name, m)
{
	row(name, total[m, "luts"], total[m, "memory_luts"],
		total[m, "registers"], total[m, "bits"], total[m, "block"],
		total[m, "dsp"])
}

# Adds up modules with all that is in them, for a row of Table II.
function sum_of(list,	n, name, i, k)
{
	n = split(list, name)
	for (k = 1; k <= kinds; k++)
		sum[column[k]] = 0
	for (i = 1; i <= n; i++)
		for (k = 1; k <= kinds; k++)
			sum[column[k]] += instances[name[i]] * \
				total[name[i], column[k]]
}

function table2_row(name, luts, registers, bits, block)
{
	printf "| %s | %s | %s | %.0f | %g | %s | %s | %s | %s | %s |\n", name,
		grouped(sum["luts"]), grouped(sum["registers"]),
		sum["bits"] / 1024, sum["block"], grouped(sum["dsp"]), luts,
		registers, bits, block
}

# The rest of `whole` without the modules of the list.
function rest_of(whole, list,	k)
{
	sum_of(list)
	for (k = 1; k <= kinds; k++)
		sum[column[k]] = instances[whole] * total[whole, column[k]] - \
			sum[column[k]]
}

function share(kind)
{
	return sprintf("%.1f%%", 100 * total[top, kind] / device[kind])
}

# The paper's Table II, and ours to its left.
function table2()
{
	print ""
	print "## Beside the paper's Table II"
	print ""
	print "The last four columns are the paper's. It lists the parts of one" \
		" front end, which do\nnot add up to its sum; here they are those" \
		" of all 16."
	print ""
	print "| part | LUTs | registers | distributed RAM (kb) | block RAM |" \
		" DSPs | LUTs | registers | distributed RAM (kb) | block RAM |"
	print "|---|---|---|---|---|---|---|---|---|---|"
	rest_of(top, "fl_time")
	table2_row("function model", "56,153", "341,522", "2,080", 384)
	sum_of("fl_fronts")
	table2_row("front ends (x 16)", "31,772", "328,016", 32, 384)
	sum_of("fl_stack")
	table2_row("SIMT stacks", "2,224 each", "", 0, "24 each")
	rest_of("fl_fronts", "fl_stack")
	table2_row("instruction buffers, scoreboards, other",
		"5,719 each", "4,671 each", "2 each", 0)
	sum_of("fl_regs")
	table2_row("register files (x 2)", "7,863", "6,248", "2,048", 0)
	sum_of("fl_simd fl_lsu")
	table2_row("execute (SIMD and LD/ST)", "19,486", "4,096", 0, 0)
	sum_of("fl_simd")
	table2_row("of it the SIMD", "", "", "", "")
	sum_of("fl_lsu")
	table2_row("of it LD/ST", "", "", "", "")
	rest_of(top, "fl_time fl_fronts fl_regs fl_simd fl_lsu")
	table2_row("others", 32, "3,162", 0, 0)
	sum_of("fl_time")
	table2_row("timing model", "35,037", "24,880", 0, 116)
	sum_of(top)
	table2_row("overall", "91,190", "366,402", "2,080", 500)
	printf "| share of the device | %s | %s | %s | %s | %s |" \
		" 30.04%% | 60.34%% | 25.44%% | 48.54%% |\n\n", share("luts"),
		share("registers"), share("bits"), share("block"), share("dsp")
}

END {
	for (i = 1; i <= modules; i++)
		for (k = 1; k <= cells[order[i]]; k++)
			if (!(cell_of[order[i], k] in is_module))
				add_own(order[i], cell_of[order[i], k],
					count[order[i], k])
	if (wrong || !(top in is_module))
		exit 1
	total_of(top)
	place(top, 1)
	if (top == "fl_top")
		table2()
	print "## By module"
	print ""
	print "| module | instances | LUTs | of them memory | registers |" \
		" distributed RAM (kb) | block RAM | DSPs |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= modules; i++)
		if (order[i] in instances)
			module_row("`" order[i] "` | " instances[order[i]],
				order[i])
	for (k in device)
		if (total[top, k] > device[k]) {
			print "synth: it does not fit: " total[top, k] " of " \
				device[k] ": " k >"/dev/stderr"
			exit 1
		}
}
