# The table of bench/cores: medians of the quiet runs, relative to the serial
# ones.

function median(p, t,    n, i, j, x, v)
{
	n = quiet[p, t]
	for (i = 1; i <= n; i++) {
		x = time[p, t, i]
		for (j = i; j > 1 && v[j - 1] > x; j--)
			v[j] = v[j - 1]
		v[j] = x
	}
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

NR == 1 { next }
!($1 in cycles) {
	program[++programs] = $1
	cycles[$1] = $4
	instructions[$1] = $5
}
cycles[$1] != $4 {
	print "cores: " $1 ": " $4 " cycles on " $2 " threads, not " cycles[$1]
	wrong = 1
	exit 1
}
{
	runs[$1]++
	stolen[$1] += $6
}
$6 <= limit {
	time[$1, $2, ++quiet[$1, $2]] = $3
	all[$1]++
}

END {
	if (wrong)
		exit 1
	n = split(threads, list, " ")
	printf "%-32s%10s%10s", "speed-up on threads", "serial, s", "M inst/s"
	for (i = 2; i <= n; i++)
		printf "%7d", list[i]
	printf "%10s%9s\n", "quiet", "stolen"
	for (k = 1; k <= programs; k++) {
		p = program[k]
		serial = quiet[p, list[1]] ? median(p, list[1]) : 0
		printf "%-32s", p
		if (serial)
			printf "%10.2f%10.2f", serial, instructions[p] / serial / 1e6
		else
			printf "%10s%10s", "-", "-"
		for (i = 2; i <= n; i++)
			if (serial && quiet[p, list[i]])
				printf "%7.1f", serial / median(p, list[i])
			else
				printf "%7s", "-"
		printf "%6d/%-3d%8.1f%%\n", all[p], runs[p],
			stolen[p] / runs[p]
	}
}
