"""Play the scenes live against the servers on this machine, whole and streamed, without cassettes: `make live`."""

import sys
import time
import traceback
from contextlib import ExitStack
from itertools import product

from tests.live.environments import NotReady
from tests.live.scene import ALL_FORMATS, Scene, play
from tests.live.scenes import SCENES
from tests.live.servers import Ports, local_targets
from tests.live.targets import Target, require_network
from triptych import LlmResponse


def main() -> int:
    """Play every scene on every format, print a line each, and return 0 when all of them hold."""
    require_network()
    held = []
    with ExitStack() as stack:
        try:
            targets = local_targets(stack, ALL_FORMATS, Ports())
        except NotReady as error:
            print(f"no server: {error}", file=sys.stderr)
            return 1
        for target in targets:
            print(f"{target.format}: {target.server}, {target.model}")
            held += [
                perform(target, scene, streamed=streamed)
                for scene, streamed in product(SCENES, (False, True))
                if target.plays(scene)
            ]
    print(f"{sum(held)} of {len(held)} scenes hold")
    return 0 if all(held) else 1


def perform(target: Target, scene: Scene, *, streamed: bool) -> bool:
    """Play one scene, print how it went, and return whether what must hold of it does."""
    title = f"{target.format:20} {scene.name:15} {'streamed' if streamed else 'whole':8}"
    start = time.monotonic()
    responses: list[LlmResponse] = []
    try:
        target.rehearse(scene.name)
        responses = play(scene, target.player(streamed=streamed))
        scene.verify(responses, counted=target.counts(streamed=streamed))
    except Exception:  # whatever one scene stumbles over, the others are still played
        print(f"FAIL {title}\n{traceback.format_exc()}{responses}")
        return False
    last = responses[-1]
    said = last.error_message if last.error else last.text
    print(f"ok   {title} {time.monotonic() - start:5.2f} s  {str(said)[:60]!r}")
    return True


if __name__ == "__main__":
    sys.exit(main())
