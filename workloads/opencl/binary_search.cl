/* Where each key is in a sorted array: the first element that is not less. */
kernel void binary_search(global const int *sorted, int n,
			  global const int *keys, global int *found)
{
	int key = keys[get_global_id(0)], from = 0, to = n;

	while (from < to) {
		int middle = (from + to) / 2;

		if (sorted[middle] < key)
			from = middle + 1;
		else
			to = middle;
	}
	found[get_global_id(0)] = from;
}
