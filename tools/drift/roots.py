"""Where to start in each provider's package: the types of a request, of a whole answer and of a stream's event.

A new format is one more function in `PACKAGES`. The packages are imported when asked for: they are installed in the
environment of `make drift` alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from tools.drift.annotations import AnnotationReader
from tools.drift.service import ServiceReader
from tools.drift.shape import Object, Place, join

Roots = dict[str, Place]  # by the definition of our schema that stands for the same thing


def named(path: str) -> Any:
    """Return what `package.module:Name.attribute` names."""
    module, _, names = path.partition(":")
    value = import_module(module)
    for name in names.split("."):
        value = getattr(value, name)
    return value


def openai_chat() -> Roots:
    """Return the roots of OpenAI's chat completions."""
    place = AnnotationReader().place
    return {
        "Request": place(named("openai.types.chat.completion_create_params:CompletionCreateParams")),
        "Response": place(named("openai.types.chat:ChatCompletion")),
        "StreamChunk": place(named("openai.types.chat:ChatCompletionChunk")),
    }


def openai_responses() -> Roots:
    """Return the roots of OpenAI's responses."""
    place = AnnotationReader().place
    return {
        "Request": place(named("openai.types.responses.response_create_params:ResponseCreateParams")),
        "Response": place(named("openai.types.responses:Response")),
        "StreamEvent": place(named("openai.types.responses:ResponseStreamEvent")),
    }


def anthropic_messages() -> Roots:
    """Return the roots of Anthropic's messages: the stable types and the beta ones taken together."""
    place = AnnotationReader().place

    def both(stable: str, beta: str) -> Place:
        return join([place(named(f"anthropic.types.{stable}")), place(named(f"anthropic.types.beta.{beta}"))])

    return {
        "Request": both("message_create_params:MessageCreateParams", "message_create_params:MessageCreateParams"),
        "Response": both("message:Message", "beta_message:BetaMessage"),
        "StreamEvent": both(
            "raw_message_stream_event:RawMessageStreamEvent",
            "beta_raw_message_stream_event:BetaRawMessageStreamEvent",
        ),
    }


def gemini_generate() -> Roots:
    """Return the roots of generateContent.

    The package has no type for the body: its fields are those that the package's own writers of a body set.
    """
    reader = AnnotationReader()

    def model(name: str) -> Place:
        return reader.place(named(f"google.genai.types:{name}"))

    generation = {info.alias for info in named("google.genai.types:GenerationConfig").model_fields.values()}
    further = {name: one for name, one in _written("to_object").items() if name not in generation}
    fields = {
        **{name: reader.place(one) for name, one in _written("parent_object").items()},
        "contents": Place(items=model("Content")),
        "systemInstruction": model("Content"),
        "tools": Place(items=model("Tool")),
        "generationConfig": join([model("GenerationConfig"), reader.composed("GenerationConfig", further)]),
    }
    return {
        "Request": Place(objects=(Object("GenerateContentRequest", lambda: fields),)),
        "Response": model("GenerateContentResponse"),
        "StreamChunk": model("GenerateContentResponse"),
    }


def _written(target: str) -> dict[str, Any]:
    """Return what google-genai's writers of a body, as their source tells, set on the variable `target`.

    The wire name of each setting is given with the annotation of the setting that it is written from.
    """
    settings = named("google.genai.types:GenerateContentConfig").model_fields
    step = re.compile(rf"getv\(from_object, \['(\w+)'\]\) is not None:\s+setv\(\s*{target},\s*\['(\w+)'\]")
    writers = [named(f"google.genai.models:_GenerateContentConfig_to_{host}") for host in ("mldev", "vertex")]
    steps = [pair for writer in writers for pair in step.findall(inspect.getsource(writer))]
    return {name: settings[setting].annotation for setting, name in steps}


def bedrock_converse() -> Roots:
    """Return the roots of Converse and ConverseStream."""
    loader, model = named("botocore.loaders:Loader")(), named("botocore.model:ServiceModel")
    shape = ServiceReader(model(loader.load_service_model("bedrock-runtime", "service-2"))).shape
    return {
        "Request": join([shape("ConverseRequest"), shape("ConverseStreamRequest")]),
        "Response": shape("ConverseResponse"),
        "StreamEvent": shape("ConverseStreamOutput"),
    }


def mistral_chat() -> Roots:
    """Return the roots of Mistral's chat completions."""
    place = AnnotationReader().place

    def model(name: str) -> Place:
        return place(named(f"mistralai.client.models:{name}"))

    return {
        "Request": join([model("ChatCompletionRequest"), model("ChatCompletionStreamRequest")]),
        "Response": model("ChatCompletionResponse"),
        "StreamChunk": model("CompletionChunk"),
    }


def cohere_chat() -> Roots:
    """Return the roots of Cohere's chat, version 2: its request is the arguments of the client's methods."""
    reader, client = AnnotationReader(), named("cohere.v2.client:V2Client")
    methods = (client.chat, client.chat_stream)
    stream = reader.composed("Streaming", {"stream": bool})
    return {
        "Request": join([stream, *(reader.arguments(one, frozenset({"request_options"})) for one in methods)]),
        "Response": reader.place(named("cohere.v2.types.v2chat_response:V2ChatResponse")),
        "StreamEvent": reader.place(named("cohere.v2.types.v2chat_stream_response:V2ChatStreamResponse")),
    }


def ollama_chat() -> Roots:
    """Return the roots of Ollama's chat, whose package has one type for a whole answer and a piece of one."""
    place = AnnotationReader({named("ollama:Image"): str}).place  # an Image writes itself as base64 text
    response = place(named("ollama:ChatResponse"))
    return {"Request": place(named("ollama._types:ChatRequest")), "Response": response, "StreamChunk": response}


PACKAGES: Mapping[str, Callable[[], Roots]] = {
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "anthropic_messages": anthropic_messages,
    "gemini_generate": gemini_generate,
    "bedrock_converse": bedrock_converse,
    "mistral_chat": mistral_chat,
    "cohere_chat": cohere_chat,
    "ollama_chat": ollama_chat,
}
