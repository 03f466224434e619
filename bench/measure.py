"""How things are measured: CPU of calls and of fresh interpreters, and calls a second, always taken in turn."""

import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from attrs import frozen

from bench.launch import ROOT


@frozen
class Sample:
    """What was measured of one thing, several times.

    Args:
        values: The measurements, in one unit.
    """

    values: Sequence[float]

    @property
    def median(self) -> float:
        """The middle of the values."""
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """The distance between the quartiles, 0 for a single value."""
        if len(self.values) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.values, n=4)
        return high - low


def cpu_per_call(
    subjects: Mapping[str, tuple[Callable[[], Any], Callable[[Any], Any]]], rounds: int, calls: int
) -> dict[str, Sample]:
    """Measure the CPU that this process spends on a call, in small blocks taken in turn: A B C A B C …

    Args:
        subjects: By name, what makes a new argument and what is called with it. Only the call is measured.
        rounds: Blocks of each subject.
        calls: Calls of a block.

    Returns:
        Microseconds a call, one value a block.
    """
    measured: dict[str, list[float]] = {name: [] for name in subjects}
    for turn in range(rounds + 1):
        for name, (prepare, call) in subjects.items():
            arguments = [prepare() for _ in range(calls)]
            gc.collect()
            gc.freeze()  # or collections would walk the arguments of calls to come, and charge them to this call
            begin = time.process_time()
            for argument in arguments:
                call(argument)
            spent = time.process_time() - begin
            gc.unfreeze()
            if turn:  # the first round opens connections and warms caches
                measured[name].append(spent / calls * 1e6)
    return {name: Sample(values) for name, values in measured.items()}


def calls_per_second(
    subjects: Mapping[str, Callable[[], Any]], rounds: int, threads: int, calls: int
) -> dict[str, Sample]:
    """Measure how many calls a second a number of threads makes, in rounds taken in turn.

    Args:
        subjects: By name, what makes one call; it is called from all threads.
        rounds: Rounds of each subject.
        threads: Threads that call at the same time.
        calls: Calls of each thread in a round.
    """
    measured: dict[str, list[float]] = {name: [] for name in subjects}
    with ThreadPoolExecutor(threads) as pool:
        for turn in range(rounds + 1):
            for name, call in subjects.items():
                begin = time.perf_counter()
                work = [pool.submit(_repeat, call, calls if turn else 1) for _ in range(threads)]
                for done in work:
                    done.result()
                if turn:
                    measured[name].append(threads * calls / (time.perf_counter() - begin))
    return {name: Sample(values) for name, values in measured.items()}


def _repeat(call: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        call()


@frozen
class Child:
    """What a fresh interpreter did.

    Args:
        output: What it printed.
        cpu: Milliseconds of CPU, user and system, from its start to its end.
    """

    output: str
    cpu: float


def fresh_interpreter(code: str, bytecode: str) -> Child:
    """Run the code in a new interpreter and wait for its end.

    Args:
        code: What to run.
        bytecode: Folder where compiled modules are kept, of everyone alike: a tree of sources that is not installed, or
            an environment that forbids writing bytecode, would else be compiled anew each time.

    Raises:
        RuntimeError: It failed; the message has the code and the status. Its traceback went to standard error.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode, "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        # wait4 and not RUSAGE_CHILDREN: it tells of this child alone, however many others were waited for.
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"a fresh interpreter ended with status {process.returncode}: {code}")
    return Child(output, (usage.ru_utime + usage.ru_stime) * 1e3)


def in_fresh_interpreters(codes: Mapping[str, str], rounds: int) -> dict[str, list[Child]]:
    """Run each code in fresh interpreters, taken in turn, after one of each that only compiles the modules."""
    children: dict[str, list[Child]] = {name: [] for name in codes}
    with tempfile.TemporaryDirectory() as bytecode:
        for turn in range(rounds + 1):
            for name, code in codes.items():
                child = fresh_interpreter(code, bytecode)
                if turn:
                    children[name].append(child)
    return children
