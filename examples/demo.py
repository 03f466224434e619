"""The first example of the README, played offline: `make demo`.

The answer is that of a real model. It was recorded once, and is replayed from the cassette below: no network, no key.
"""

import sys
from pathlib import Path

from triptych import LlmClient, LlmRequest, Message

CASSETTE = Path(__file__).parents[1] / "cassettes" / "openai_chat" / "chat.yaml"


def refuse_network(event: str, arguments: object) -> None:
    """Stop the demo when anything in this process tries to look up a host or to connect to one."""
    if event in ("socket.getaddrinfo", "socket.connect"):
        raise RuntimeError(f"the demo is offline, but {event} was called with {arguments}")


def main() -> int:
    """Ask what 2 + 2 is, print the conversation, and return 0 when the answer has a 4 in it."""
    sys.addaudithook(refuse_network)

    client = LlmClient("llamacpp/smollm2-135m-instruct", temperature=0, cassette=CASSETTE)
    request = LlmRequest(
        instructions=["You are a helpful assistant."],
        contents=[Message(role="user", content="What is 2 + 2?")],
    )
    response = client.generate(request)

    if response.error:
        print(f"no answer: {response.error}", file=sys.stderr)
        return 1
    print(f"system:    {request.instructions[0]}")
    for item in request.contents + response.content:
        if isinstance(item, Message):
            print(f"{item.role + ':':10} {item.text}")
    print(f"usage:     {response.usage_metadata}")
    print(f"offline:   replayed from {CASSETTE.relative_to(CASSETTE.parents[2])}; any connection would have failed")
    for line in recorded_from():
        print(f"           {line}")
    return 0 if "4" in response.text else 1


def recorded_from() -> list[str]:
    """Return the lines at the top of the cassette, which say where it was recorded, and when."""
    lines = CASSETTE.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# ") for line in lines if line.startswith("# ")]


if __name__ == "__main__":
    sys.exit(main())
