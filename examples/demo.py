"""The first example of the README, whole and streamed, played offline: `make demo`.

The answers are those of a real model. They were recorded once, and are replayed from the cassettes below: no network,
no key.
"""

import sys
from pathlib import Path

from triptych import LlmClient, LlmRequest, Message

ROOT = Path(__file__).parents[1]
CASSETTE = ROOT / "cassettes" / "openai_chat" / "chat.yaml"
STREAM = ROOT / "cassettes" / "openai_chat" / "stream" / "chat.yaml"
MODEL = "llamacpp/smollm2-135m-instruct"


def refuse_network(event: str, arguments: object) -> None:
    """Stop the demo when anything in this process tries to look up a host or to connect to one."""
    if event in ("socket.getaddrinfo", "socket.connect"):
        raise RuntimeError(f"the demo is offline, but {event} was called with {arguments}")


def main() -> int:
    """Ask what 2 + 2 is, once whole and once streamed, and return 0 when both answers have a 4 in them."""
    sys.addaudithook(refuse_network)
    request = LlmRequest(
        instructions=["You are a helpful assistant."],
        contents=[Message(role="user", content="What is 2 + 2?")],
    )

    response = LlmClient(MODEL, temperature=0, cassette=CASSETTE).generate(request)
    if response.error:
        print(f"no answer: {response.error}", file=sys.stderr)
        return 1
    print(f"system:    {request.instructions[0]}")
    for item in request.contents + response.content:
        if isinstance(item, Message):
            print(f"{item.role + ':':10} {item.text}")
    print(f"usage:     {response.usage_metadata}")

    stream = LlmClient(MODEL, temperature=0, cassette=STREAM).stream(request)
    print("streamed:  ", end="")
    for text in stream.text:
        print(f"{text}|", end="", flush=True)  # as it arrives, piece by piece
    if stream.response.error:
        print(f"\nthe stream was cut: {stream.response.error}", file=sys.stderr)
        return 1
    print(f"\nusage:     {stream.response.usage_metadata}")

    for cassette in (CASSETTE, STREAM):
        print(f"offline:   replayed from {cassette.relative_to(ROOT)}; any connection would have failed")
    for line in recorded_from():
        print(f"           {line}")
    return 0 if "4" in response.text and "4" in stream.response.text else 1


def recorded_from() -> list[str]:
    """Return the lines at the top of the cassette, which say where it was recorded, and when."""
    lines = CASSETTE.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# ") for line in lines if line.startswith("# ")]


if __name__ == "__main__":
    sys.exit(main())
