"""Record the scenes into cassettes, whole and streamed: `make record`, from the local engine or from real providers.

Where the environment holds OPENAI_API_KEY or ANTHROPIC_API_KEY, that provider's format is recorded from the provider,
else from the engine. A cassette replaces the one before it only when its scene holds, when it plays back offline to
equal answers, and when it holds no secret. `examples/demo.py` names the model of the chat scene: when another model
than the engine's usual one was recorded, that line changes with it.
"""

import os
import sys
import tempfile
from contextlib import ExitStack
from datetime import date
from itertools import product
from pathlib import Path

from attrs import evolve

from tests.live import engine
from tests.live.cassette_rules import faults
from tests.live.scenes import SCENES, Scene, play, values
from tests.live.targets import CASSETTES, Target, cassette_path, engine_targets, real_targets, require_network
from triptych.replay import cassette

# The address is part of what is matched, so the engine listens where `llamacpp/…` looks for it unless told otherwise.
ENGINE_PORT = 8080


def main() -> int:
    """Record every scene on every format and return 0 when all of them were recorded."""
    require_network()
    failed = 0
    with ExitStack() as stack:
        try:
            targets = _targets(stack)
        except engine.EngineError as error:
            print(f"no engine: {error}", file=sys.stderr)
            return 1
        for target in targets:
            print(f"{target.format}: {target.server}, {target.model}")
            for scene, streamed in product(SCENES, (False, True)):
                if target.format in scene.formats and not (scene.engine_only and target.real):
                    failed += not record(target, scene, streamed=streamed)
    return 1 if failed else 0


def _targets(stack: ExitStack) -> list[Target]:
    """Return one target a format: the real provider where its key is known, else the engine, started on `stack`."""
    targets = {target.format: target for target in real_targets(os.environ)}
    if len(targets) < 2:
        running = stack.enter_context(engine.running(port=ENGINE_PORT))
        targets = {target.format: target for target in engine_targets(running)} | targets
    return list(targets.values())


def record(target: Target, scene: Scene, *, streamed: bool) -> bool:
    """Record one scene and put its cassette in place; say on one line how it went and return whether it did."""
    path = cassette_path(target.format, scene, streamed=streamed)
    name = f"{scene.name}, streamed" if streamed else scene.name
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CASSETTES) as scratch:
        fresh = Path(scratch) / path.name
        try:
            _record_and_check(target, scene, fresh, streamed=streamed)
        except Exception as error:  # whatever one scene stumbles over, the others are still recorded
            print(f"  {name}: not recorded: {error!r}")
            return False
        fresh.replace(path)
    print(f"  {name}: recorded")
    return True


def _record_and_check(target: Target, scene: Scene, path: Path, *, streamed: bool) -> None:
    """Record a scene at `path`; raise AssertionError when it does not hold, does not replay, or says too much."""
    about = {"server": target.server, "model": target.model, "date": date.today().isoformat()}
    with cassette(path, record="all", header=about):
        live = play(scene, target.player(streamed=streamed))
    scene.check(live)
    replayed = play(scene, evolve(target, api_key=None).player(path, streamed=streamed))
    assert values(replayed) == values(live), f"it plays back otherwise: {replayed} instead of {live}"
    wrong = faults(path.read_text(encoding="utf-8"), (target.api_key,) if target.api_key else ())
    assert not wrong, f"its cassette {', '.join(wrong)}"


if __name__ == "__main__":
    sys.exit(main())
