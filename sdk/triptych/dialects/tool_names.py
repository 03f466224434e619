"""Names of tools: those that an API refuses get others, that lead back to them and to them alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from attrs import frozen

_DIGEST = 6  # bytes


@frozen
class NameRules:
    """What names of tools an API takes.

    Args:
        page: The reference that says so.
        refused: A regular expression that finds the characters that a name may not have.
        longest: How many characters a name may have.
        first: A regular expression of the characters that a name may begin with.
    """

    page: str
    refused: str = r"[^a-zA-Z0-9_-]"
    longest: int = 64
    first: str = r"[a-zA-Z0-9_-]"

    def takes(self, name: str) -> bool:
        """Say whether the API takes a name as it is."""
        return (
            0 < len(name) <= self.longest
            and re.search(self.refused, name) is None
            and re.match(self.first, name) is not None
        )


OPENAI_NAMES = NameRules("https://developers.openai.com/api/reference/resources/chat")
ANTHROPIC_NAMES = NameRules("https://docs.claude.com/en/api/messages", longest=128)
# `FunctionDeclaration.name`; older models take 64 characters (github.com/google-gemini/gemini-cli/issues/7878), and no
# colon, so that only what all of them take is left as it is.
GEMINI_NAMES = NameRules("https://ai.google.dev/api/caching#FunctionDeclaration", r"[^a-zA-Z0-9_.-]", 64, "[a-zA-Z_]")
BEDROCK_NAMES = NameRules("https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html")
# The API's own words in an error: github.com/Kochava-Studios/witsy/pull/164.
MISTRAL_NAMES = NameRules("https://docs.mistral.ai/api/endpoint/chat")
# The first version's reference; the second says nothing, and its models are the same. No length is named: 64 is what
# all others take.
COHERE_NAMES = NameRules("https://docs.cohere.com/v1/reference/chat", r"[^a-zA-Z0-9_]", 64, "[a-zA-Z_]")
# The server hands names on to the model's template as they are.
OLLAMA_NAMES = NameRules("https://docs.ollama.com/api/chat", r"(?!)", 1 << 16, r"[\s\S]")


class NameMap:
    """The names of a conversation's tools, as the program has them and as an API takes them.

    Args:
        names: The names of all tools, those included that were called earlier.
        rules: What the API takes.
    """

    def __init__(self, names: Iterable[str], rules: NameRules) -> None:
        self._rules = rules
        own = list(dict.fromkeys(names))
        self._wire = {name: name for name in own if rules.takes(name)}
        wanted = [self._cleaned(name) for name in own if name not in self._wire]
        taken = set(self._wire)
        for name in own:
            if name not in self._wire:
                clean = self._cleaned(name)
                free = clean not in taken and wanted.count(clean) == 1 and re.search("[a-zA-Z0-9]", clean) is not None
                self._wire[name] = clean if free and len(clean) <= rules.longest else self._told_apart(name, taken)
                taken.add(self._wire[name])
        self._own = {wire: name for name, wire in self._wire.items()}

    def to_wire(self, name: str) -> str:
        """Return the name that the API is given for a tool; one of no known tool is made as distinct as it was."""
        if name in self._wire:
            return self._wire[name]
        return name if self._rules.takes(name) and name not in self._own else self._told_apart(name, set(self._own))

    def from_wire(self, name: str) -> str:
        """Return the tool's own name for a name that came from the API; one that no tool has comes back as it is."""
        return self._own.get(name, name)

    def _cleaned(self, name: str) -> str:
        clean = re.sub(self._rules.refused, "_", name)
        return clean if re.match(self._rules.first, clean) else f"_{clean}"

    def _told_apart(self, name: str, taken: set[str]) -> str:
        """Return a name with a digest of the own one behind it, so that equal beginnings stay distinct."""
        room = self._rules.longest - 2 * _DIGEST - 1
        attempt = 0
        while True:
            said = f"{name}\0{attempt}" if attempt else name
            digest = hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).hexdigest()
            wire = f"{self._cleaned(name)[:room]}_{digest}"
            if wire not in taken:
                return wire
            attempt += 1
