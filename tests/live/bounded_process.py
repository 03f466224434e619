"""A process that outlives neither its parent nor its time: runs the command that it is given, and ends it.

Started by `tests.live.child`, never imported by it. The arguments are the seconds to live and then the command. The
command is ended when it is over, when standard input closes (the parent closed it, or is gone), or when time is up.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

GRACE_SECONDS = 5.0


def main() -> int:
    """Run the command of the arguments and return its exit status, or 0 where it was ended in good order."""
    seconds, *command = sys.argv[1:]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    over = threading.Event()
    waits: tuple[Callable[[], object], ...] = (process.wait, _wait_for_the_parent)
    for wait in waits:
        threading.Thread(target=_tell, args=(wait, over), daemon=True).start()
    over.wait(timeout=float(seconds))
    status = process.poll()
    if status is not None:
        return status
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_SECONDS)
    process.kill()
    process.wait()
    return 0


def _wait_for_the_parent() -> None:
    # Read without Python's buffer, whose lock a thread that still waits would hold when the interpreter ends.
    while os.read(0, 4096):
        pass


def _tell(wait: Callable[[], object], over: threading.Event) -> None:
    wait()
    over.set()


if __name__ == "__main__":
    sys.exit(main())
