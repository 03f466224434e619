"""A gateway that speaks Gemini's format in front of the local engine: litellm's proxy, in an environment of its own."""

import json
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen

from tests.live.child import LIFETIME_SECONDS, check_port_is_free, free_port, running
from tests.live.engine import Engine
from tests.live.environments import python_environment

# Not a later one: 1.107 was reported compromised, and 1.110.2 does not install.
GATEWAY_VERSION = "1.106.12"
GATEWAY_PACKAGE = f"litellm[proxy]=={GATEWAY_VERSION}"


@frozen
class Gateway:
    """A running gateway: its address without a path, the key that it asks for, and what stands behind it."""

    url: str
    api_key: str = field(repr=False)
    engine: Engine

    @property
    def label(self) -> str:
        """The line that a cassette names the server by."""
        return f"litellm {GATEWAY_VERSION} in front of {self.engine.label}"


@contextmanager
def gateway(engine: Engine, port: int = 0) -> Iterator[Gateway]:
    """Run the gateway for the length of a with block.

    Args:
        engine: What answers.
        port: The loopback port to listen on; 0 takes a free one.

    Raises:
        NotReady: it could not be installed or started.
    """
    if port:
        check_port_is_free(port)
    port = port or free_port()
    program = python_environment(GATEWAY_PACKAGE).with_name("litellm")
    key = f"sk-{secrets.token_urlsafe(24)}"  # it takes no key that begins otherwise
    variables = {
        "LITELLM_MASTER_KEY": key,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # its own table of prices: it fetches none
        "ENGINE_KEY": engine.api_key,
    }
    url = f"http://localhost:{port}"
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "gateway.yaml"
        settings.write_text(json.dumps(_settings(engine)), encoding="utf-8")  # JSON is YAML
        command = [str(program), "--config", str(settings), "--host", "127.0.0.1", "--port", str(port)]
        command += ["--telemetry", "False"]
        with running(command, f"{url}/health/liveliness", variables, lifetime=LIFETIME_SECONDS):
            yield Gateway(url, key, engine)


def _settings(engine: Engine) -> dict[str, object]:
    """Return the gateway's settings: one model, which is the engine's; no call is tried twice."""
    behind = {
        "model": f"openai/{engine.model.alias}",
        "api_base": f"{engine.url}/v1",
        "api_key": "os.environ/ENGINE_KEY",
        "max_retries": 0,
    }
    return {"model_list": [{"model_name": engine.model.alias, "litellm_params": behind}]}
