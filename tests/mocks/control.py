"""Telling the mocks what to do next, and asking them what they were sent."""

import json
import urllib.request
from typing import Any

from attrs import frozen

from tests.live.mocks import Mock

_SECONDS = 10.0


def _ask(method: str, url: str, body: object = None, headers: dict[str, str] | None = None) -> Any:
    """Return the JSON that a mock's control address answers; the environment's proxies are not for loopback."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=_SECONDS) as answer:
        return json.load(answer)


@frozen
class Llmock:
    """A running llmock.

    Args:
        mock: Where it is.
    """

    mock: Mock

    def plan(self, *behaviors: dict[str, Any]) -> None:
        """Forget what was planned, served and spent, and plan behaviours, each for the next call that it fits."""
        _ask("POST", f"{self.mock.url}/_llmock/reset", {})
        if behaviors:
            _ask("POST", f"{self.mock.url}/_llmock/scenario", {"behaviors": list(behaviors)})

    @property
    def served(self) -> int:
        """How many calls came since the last plan; waits, for a little, for those that are under way."""
        count: int = _ask("GET", f"{self.mock.url}/_llmock/requests")["count"]
        return count


@frozen
class Aimock:
    """A running aimock.

    Args:
        mock: Where it is.
    """

    mock: Mock

    def plan(self, *fixtures: dict[str, Any]) -> None:
        """Forget what was planned and served, and answer from now on by the first fixture that fits."""
        self._tell("/reset", {})
        if fixtures:
            self._tell("/fixtures", {"fixtures": [{"match": {}, **fixture} for fixture in fixtures]})

    def fail_next(self, status: int, body: dict[str, str]) -> None:
        """Answer one call with an error before all that is planned."""
        self._tell("/error", {"status": status, "body": body})

    @property
    def served(self) -> int:
        """How many calls came since the last plan."""
        return len(_ask("GET", f"{self.mock.url}/__aimock/journal", None, self._key))

    def _tell(self, path: str, body: dict[str, Any]) -> None:
        _ask("POST", f"{self.mock.url}/__aimock{path}", body, self._key)

    @property
    def _key(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.mock.api_key}"}
