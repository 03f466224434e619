"""Record a model that calls tools into cassettes/agent/: `make record-agent MODEL=path.gguf`.

Any GGUF model that was trained to call tools will do; its own chat template is replaced by one that has it write a call
as a bare JSON object, which llama.cpp reads from every model alike.
"""

import sys
from datetime import date
from pathlib import Path

from tests.live import engine
from tests.live.agent_scenes import AGENT_SCENES
from tests.live.cassette_rules import faults
from tests.live.environments import NotReady
from tests.live.targets import CASSETTES, require_network
from triptych import LlmClient
from triptych.replay import cassette

TEMPLATE = Path(__file__).parent / "templates" / "bare_calls.jinja"
FOLDER = CASSETTES / "agent"
CONTEXT_TOKENS = 4096


def main() -> int:
    """Record each scene, and return 0 when each plays back to the same items."""
    require_network()
    FOLDER.mkdir(exist_ok=True)
    try:
        # The port is where the provider llamacpp is looked for.
        with engine.running(8080, context_tokens=CONTEXT_TOKENS, template=TEMPLATE) as server:
            about = {"server": server.label, "model": server.model.label, "date": date.today().isoformat()}
            return sum([not record(name, server, about) for name in AGENT_SCENES])
    except NotReady as error:
        print(f"no engine: {error}", file=sys.stderr)
        return 1


def record(name: str, server: engine.Engine, about: dict[str, str]) -> bool:
    """Record one scene; say how it went, and return whether it did."""
    path = FOLDER / f"{name}.yaml"
    model = f"llamacpp/{server.model.alias}"
    with cassette(path, record="all", header=about):
        live = AGENT_SCENES[name](LlmClient(model, api_key=server.api_key, temperature=0))
    with cassette(path, record="none"):
        played = AGENT_SCENES[name](LlmClient(model, temperature=0))
    wrong = faults(path.read_text(encoding="utf-8"), (server.api_key,))
    print(f"{name}: {played[-1]}" if not wrong else f"{name}: its cassette {', '.join(wrong)}")
    return [_timeless(item) for item in live] == [_timeless(item) for item in played] and not wrong


def _timeless(item: object) -> str:
    return f"{getattr(item, 'text', '')}{getattr(item, 'arguments', '')}"


if __name__ == "__main__":
    sys.exit(main())
