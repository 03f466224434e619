"""Record the scenes into cassettes, whole and streamed: `make record`, from servers on this machine or from providers.

Where the environment holds a provider's key, that provider's wire format is recorded from the provider, else from the
servers that `tests.live.servers` names. FORMATS="cohere_chat ollama_chat" records these alone, SCENES="chat" that one.
A cassette replaces the one before it only when its scene holds, when it plays back offline to equal answers, and when
it holds no secret. `examples/demo.py` names the model of the chat scene: when another model than the engine's usual one
was recorded, that line changes with it.
"""

import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

from attrs import evolve

from tests.live.cassette_rules import faults
from tests.live.environments import NotReady
from tests.live.scene import ALL_FORMATS, Scene, play, values
from tests.live.scenes import SCENES
from tests.live.servers import Ports, local_targets, real_targets
from tests.live.targets import CASSETTES, Target, cassette_path, require_network
from triptych import LlmResponse
from triptych.replay import cassette
from triptych.replay.scrub import PLACEHOLDER

# The address is part of what is matched, so each server listens where it did before; the engine where `llamacpp/…`
# looks for it unless told otherwise.
PORTS = Ports(engine=8080, gateway=4000, llmock=8001, aimock=4010)


def main() -> int:
    """Record every scene on every format and return 0 when all of them were recorded."""
    require_network()
    formats = _chosen("FORMATS", ALL_FORMATS)
    scenes = [scene for scene in SCENES if scene.name in _chosen("SCENES", [scene.name for scene in SCENES])]
    failed = 0
    with ExitStack() as stack:
        real = [target for target in real_targets(os.environ) if target.format in formats]
        wanted = set(formats) - {target.format for target in real}
        try:
            targets = real + local_targets(stack, wanted, PORTS)
        except NotReady as error:
            print(f"no server: {error}", file=sys.stderr)
            return 1
        for target in targets:
            print(f"{target.format}: {target.server}, {target.model}")
            for scene, streamed in product(scenes, (False, True)):
                if target.plays(scene):
                    failed += not record(target, scene, streamed=streamed)
    return 1 if failed else 0


def _chosen(variable: str, names: Sequence[str]) -> Sequence[str]:
    """Return the names that an environment variable has; all of them where it is not set.

    Raises:
        SystemExit: it has a name that is none of them.
    """
    chosen = os.environ.get(variable, "").split()
    if not set(chosen) <= set(names):
        sys.exit(f"{variable} is {' '.join(chosen)!r}; it may have: {', '.join(names)}")
    return chosen or names


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
    target.rehearse(scene.name)
    with cassette(path, record="all", header=about):
        live = play(scene, target.player(streamed=streamed))
    scene.verify(live, counted=target.counts(streamed=streamed))
    replayed = play(scene, evolve(target, api_key=None).player(path, streamed=streamed))
    assert values(replayed) == _as_kept(live), f"it plays back otherwise: {replayed} instead of {live}"
    wrong = faults(path.read_text(encoding="utf-8"), (target.api_key,) if target.api_key else ())
    assert not wrong, f"its cassette {', '.join(wrong)}"


def _as_kept(responses: list[LlmResponse]) -> list[dict[str, Any]]:
    """Return answers as plain data, without the ids of requests, which a cassette does not keep."""
    kept = values(responses)
    for response in kept:
        if response["error"] is not None and response["error"]["request_id"] is not None:
            response["error"]["request_id"] = PLACEHOLDER
    return kept


if __name__ == "__main__":
    sys.exit(main())
