"""The rule sets: what each API's reference says that it takes of JSON Schema."""

from __future__ import annotations

from attrs import evolve

from triptych.dialects.rules import NUMERIC_BOUNDS, Limits, Rules

# Titles and defaults are taken by none: they hold the model to nothing, and OpenAI refuses a default.
_LENGTHS = frozenset({"minLength", "maxLength"})
_ITEMS = frozenset({"minItems", "maxItems"})

# "Supported schemas" of the page: keywords, formats and limits are its lists; lengths of strings are not among them.
OPENAI_STRICT = Rules(
    name="OpenAI's strict mode",
    page="https://developers.openai.com/api/docs/guides/structured-outputs",
    keywords=frozenset({"additionalProperties", "pattern", "format", "multipleOf"}) | NUMERIC_BOUNDS | _ITEMS,
    formats=frozenset(
        {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
    ),
    any_values=False,
    array_items=True,
    closed=True,
    all_required=True,
    maps=False,
    tuples=False,
    limits=Limits(
        properties=5000,
        depth=10,
        enum_values=1000,
        long_enum=250,
        long_enum_characters=15_000,
        characters=120_000,
    ),
)

# "JSON Schema limitations" of the page, with `anthropic.lib._parse._transform` of the official package, which moves the
# rest into descriptions. The limits hold for all strict tools and the output of a request together.
ANTHROPIC_STRICT = Rules(
    name="Anthropic's strict mode",
    page="https://platform.claude.com/docs/en/build-with-claude/structured-outputs",
    keywords=frozenset({"additionalProperties", "pattern", "format", "minItems"}),
    formats=frozenset(
        {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
    ),
    pattern_refused=r"\\[1-9bB]|\(\?[=!<]",
    min_items=1,
    any_values=False,
    closed=True,
    maps=False,
    tuples=False,
    recursion="no",
    limits=Limits(optional=24, unions=16),
)

# The service validates against the same subset as Claude's own API, for the models of all makers.
BEDROCK = evolve(
    ANTHROPIC_STRICT,
    name="Bedrock's structured output",
    page="https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
    limits=Limits(),
)

# The keywords are those that the reference lists under `responseJsonSchema`; enums are of strings and numbers, `oneOf`
# is read as `anyOf`, a cycle must pass through a property that is not required.
GEMINI = Rules(
    name="Gemini's JSON Schema",
    page="https://ai.google.dev/api/generate-content#GenerationConfig",
    keywords=frozenset({"additionalProperties", "prefixItems", "format", "minimum", "maximum", "propertyOrdering"})
    | _ITEMS,
    formats=frozenset({"date-time", "date", "time"}),
    enums=frozenset({"string", "number"}),
    array_items=True,
    empty_properties=False,
    object_root=False,
    recursion="optional",
)

# `mistralai.extra.utils` of the official package closes every object and sends all other keywords as they are, bounds
# and lengths among them. The API stopped taking `$id` and `$schema` (github.com/BerriAI/litellm/pull/13389).
MISTRAL = Rules(
    name="Mistral's strict mode",
    page="https://docs.mistral.ai/capabilities/structured-output/custom_structured_output/",
    keywords=frozenset({"additionalProperties", "pattern", "format", "multipleOf", "uniqueItems", "prefixItems"})
    | NUMERIC_BOUNDS
    | _LENGTHS
    | _ITEMS,
    formats=None,
    closed=True,
    maps=False,
)

# "Parameter types support" and "Schema constraints" of the page; the number of fields is that of strict tools.
COHERE = Rules(
    name="Cohere's structured output",
    page="https://docs.cohere.com/docs/structured-outputs",
    keywords=frozenset({"additionalProperties", "pattern", "format"}),
    formats=frozenset({"date-time", "uuid", "date", "time"}),
    pattern_refused=r"[\^$]|\(\?[=!]",
    type_lists=False,
    some_required=True,
    tuples=False,
    limits=Limits(properties=200),
)

# The server turns the schema into a grammar as llama.cpp does, which skips what it does not know: the known limitations
# of its guide. A definition of any root is taken.
OLLAMA = Rules(
    name="Ollama's grammar",
    page="https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md",
    keywords=frozenset({"additionalProperties", "pattern", "format"}) | NUMERIC_BOUNDS | _LENGTHS | _ITEMS,
    formats=frozenset({"date-time", "date", "time", "uuid"}),
    pattern_refused=r"\\[1-9bB]|\(\?[=!<]",
    pattern_anchored=True,
    bounded=frozenset({"integer"}),
    tuples=False,
    object_root=False,
)

# Tools that no API holds the model to: an object, with `properties` even where it has none, which OpenAI asks for
# (github.com/spring-projects/spring-ai/issues/4776).
LOOSE = Rules(
    name="a tool that is not strict",
    page="https://developers.openai.com/api/docs/guides/function-calling",
    rewrites=False,
)
