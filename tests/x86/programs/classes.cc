// Containers, streams, exceptions, threads and condition variables.
#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int turns()
{
	std::mutex mutex;
	std::condition_variable changed;
	std::vector<std::thread> threads;
	int turn = 0;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([&, i] {
			for (int k = 0; k < 5; k++) {
				std::unique_lock<std::mutex> lock(mutex);

				changed.wait(lock,
					     [&] { return turn % 4 == i; });
				turn++;
				changed.notify_all();
			}
		});
	for (auto &thread : threads)
		thread.join();
	return turn;
}

int main()
{
	std::map<std::string, int> counts;
	std::vector<double> values;
	std::ostringstream text;
	unsigned hash = 0;

	for (int i = 0; i < 1000; i++)
		counts["k" + std::to_string(i * 7919 % 1000)] += i;
	for (auto &count : counts)
		hash = hash * 31 + (unsigned)count.second;
	for (int i = 0; i < 10000; i++)
		values.push_back(i * 7919 % 10007 * 0.5);
	std::sort(values.begin(), values.end());
	try {
		counts.at("none");
	} catch (const std::out_of_range &) {
		text << "out of range, " << turns() << " turns";
	}
	std::cout << hash << " " << values[5000] << " " << text.str() << "\n";
	return 0;
}
