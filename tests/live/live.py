"""Play the scenes live against the local engine, whole and streamed, without cassettes: `make live`."""

import sys
import time
import traceback
from itertools import product

from tests.live import engine
from tests.live.scenes import SCENES, Scene, play
from tests.live.targets import Target, engine_targets, require_network
from triptych import LlmResponse


def main() -> int:
    """Play every scene on every format, print a line each, and return 0 when all of them hold."""
    require_network()
    try:
        with engine.running() as running:
            targets = engine_targets(running)
            print(f"{running.label}, {running.model.label}")
            held = [
                perform(target, scene, streamed=streamed)
                for target, scene, streamed in product(targets, SCENES, (False, True))
                if target.format in scene.formats
            ]
    except engine.EngineError as error:
        print(f"no engine: {error}", file=sys.stderr)
        return 1
    print(f"{sum(held)} of {len(held)} scenes hold")
    return 0 if all(held) else 1


def perform(target: Target, scene: Scene, *, streamed: bool) -> bool:
    """Play one scene, print how it went, and return whether what must hold of it does."""
    title = f"{target.format:20} {scene.name:15} {'streamed' if streamed else 'whole':8}"
    start = time.monotonic()
    responses: list[LlmResponse] = []
    try:
        responses = play(scene, target.player(streamed=streamed))
        scene.check(responses)
    except Exception:  # whatever one scene stumbles over, the others are still played
        print(f"FAIL {title}\n{traceback.format_exc()}{responses}")
        return False
    last = responses[-1]
    said = last.error_message if last.error else last.text
    print(f"ok   {title} {time.monotonic() - start:5.2f} s  {str(said)[:60]!r}")
    return True


if __name__ == "__main__":
    sys.exit(main())
