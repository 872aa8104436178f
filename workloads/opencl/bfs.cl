/* One level: nodes of the frontier give their neighbours a distance. */
kernel void expand(global const int *first, global const int *edges,
		   global int *distance, int level, int n, global int *changed)
{
	int node = get_global_id(0);

	if (node >= n || distance[node] != level)
		return;
	for (int e = first[node]; e < first[node + 1]; e++)
		if (distance[edges[e]] < 0) {
			distance[edges[e]] = level + 1;
			*changed = 1;
		}
}
