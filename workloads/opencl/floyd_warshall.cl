kernel void floyd_warshall(global uint *distance, global uint *via, int n,
			   int through)
{
	int x = get_global_id(0), y = get_global_id(1);
	uint now = distance[y * n + x];
	uint other = distance[y * n + through] + distance[through * n + x];

	if (other < now) {
		distance[y * n + x] = other;
		via[y * n + x] = through;
	}
}
