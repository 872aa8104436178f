# Two files of heddle_bench --json: the best of each row, and their ratio.
# Units per second and ratios are better when larger, times when smaller; the
# cost of growth is a ratio that should be small.
function better_if_large(name, unit)
{
	return (unit ~ /\/s$/ || unit == "ratio") && name !~ /growth/
}
/"name"/ {
	split($0, part, "\"")
	name = part[4]
	unit = part[10]
	value = $0
	sub(/.*"value": /, "", value)
	sub(/,.*/, "", value)
	value += 0
	side = FILENAME == ARGV[1] ? "old" : "new"
	if (!(name in order)) {
		order[name] = ++count
		name_of[count] = name
		unit_of[name] = unit
	}
	key = side " " name
	large = better_if_large(name, unit)
	if (!(key in best) || (large ? value > best[key] : value < best[key]))
		best[key] = value
}
END {
	printf "%-36s %-12s %12s %12s %7s\n", "", "", "old", "new", "ratio"
	for (i = 1; i <= count; i++) {
		name = name_of[i]
		old = best["old " name]
		new = best["new " name]
		if (!old || !new)
			continue
		ratio = better_if_large(name, unit_of[name]) ? new / old : \
			old / new
		printf "%-36s %-12s %12.5g %12.5g %7.3f\n", name, \
			unit_of[name], old, new, ratio
	}
}
