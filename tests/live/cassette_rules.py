"""What a cassette of this project must say in its first lines, and that it may be published."""

from triptych.replay import CassetteError
from triptych.replay.lint import check_text

HEADER_LINES = ("server", "model", "date")


def header(text: str) -> dict[str, str]:
    """Return the comment lines that open a cassette, by name: `# server: llama.cpp …` gives `{"server": …}`."""
    lines: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        name, _, value = line.removeprefix("#").partition(":")
        lines[name.strip()] = value.strip()
    return lines


def faults(text: str, secrets: tuple[str, ...] = ()) -> list[str]:
    """Return what is wrong with a cassette's text, one sentence a fault; none when it may be kept.

    Args:
        text: the whole cassette.
        secrets: values that were in use while it was recorded and must not be in it.
    """
    named = header(text)
    found = [f"its first lines do not say: {name}" for name in HEADER_LINES if not named.get(name)]
    try:
        findings = check_text(text, secrets=secrets)
    except CassetteError as error:
        return [*found, error.reason]
    return found + [f"holds {finding.what} in {finding.where}, line {finding.line}" for finding in findings]
