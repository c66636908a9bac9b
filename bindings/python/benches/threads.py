"""Does text to text scale over the cores that are there?

    python benches/threads.py

Each thread repairs texts of 100 KB for a few seconds. The share is what all of them do in a second, divided by what
as many threads would do if each did as much as one alone. A machine with other work to do has fewer cores than
it says: so the same is also measured with as many processes, which share no lock, and the threads are held
against them.
"""

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import llmend
from speed import broken, document

SECONDS = 2.0
TEXT = broken(document(100_000))


def repaired(until: float) -> int:
    """How many texts were repaired until then, on the clock that all processes share."""
    done = 0
    while time.time() < until:
        llmend.repair(TEXT)
        done += 1
    return done


def rate(pool: ThreadPoolExecutor | ProcessPoolExecutor, workers: int) -> float:
    """Megabytes a second, of all workers together."""
    list(pool.map(repaired, [time.time() + 0.3] * workers))
    until = time.time() + SECONDS
    return sum(pool.map(repaired, [until] * workers)) * len(TEXT) / SECONDS / 1e6


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count() or 1
    print("workers  threads MB/s  share  processes MB/s  share  threads / processes   load")
    alone: tuple[float, float] | None = None
    for workers in range(1, most + 1):
        with ThreadPoolExecutor(workers) as threads, ProcessPoolExecutor(workers) as processes:
            # In turn, so that what else the machine does touches both.
            pairs = [(rate(threads, workers), rate(processes, workers)) for _ in range(3)]
        ours, theirs = max(one for one, _ in pairs), max(other for _, other in pairs)
        alone = alone or (ours, theirs)
        shares = ours / alone[0] / workers, theirs / alone[1] / workers
        load = os.getloadavg()[0]
        print(
            f"{workers:7} {ours:13.0f} {shares[0]:6.2f} {theirs:15.0f} {shares[1]:6.2f}"
            f" {ours / theirs:20.2f} {load:6.1f}"
        )


if __name__ == "__main__":
    main()
