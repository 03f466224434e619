"""Tests of the provider data and of how a model's name finds its provider."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from triptych import providers
from triptych.provider import fits
from triptych.providers import Provider, ProviderError, Quirks, known, register_provider, resolve

ROOT = Path(__file__).parent.parent
DATA = ROOT / "sdk" / "triptych" / "providers.toml"
CORPUS = Path(os.environ.get("TRIPTYCH_CORPUS", ROOT.parent / "shared" / "corpus"))
ENVIRON = {
    "AWS_REGION": "us-east-1",
    "AZURE_OPENAI_ENDPOINT": "https://RESOURCE.openai.azure.com/",
    "OPENAI_API_VERSION": "2024-10-21",
    "VERTEX_HOST": "us-east5-aiplatform.googleapis.com",
    "GOOGLE_CLOUD_PROJECT": "PROJECT",
    "GOOGLE_CLOUD_LOCATION": "us-east5",
    "CLOUDFLARE_ACCOUNT_ID": "ACCOUNT",
    "DATABRICKS_HOST": "adb-0000000000000000.0.azuredatabricks.net",
    "SNOWFLAKE_ACCOUNT": "myorg-myaccount",
}
BEARER = "Authorization: Bearer K"

# name: whole URL, header of the key K, first key variable, whether a call without a key is in order
HOSTS = {
    "openai": ("https://api.openai.com/v1/chat/completions", BEARER, "OPENAI_API_KEY", False),
    "openai-responses": ("https://api.openai.com/v1/responses", BEARER, "OPENAI_API_KEY", False),
    "anthropic": ("https://api.anthropic.com/v1/messages", "x-api-key: K", "ANTHROPIC_API_KEY", False),
    "azure": (
        "https://RESOURCE.openai.azure.com/openai/v1/chat/completions",
        "api-key: K",
        "AZURE_OPENAI_API_KEY",
        False,
    ),
    "azure-deployments": (
        "https://RESOURCE.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21",
        "api-key: K",
        "AZURE_OPENAI_API_KEY",
        False,
    ),
    "gemini": (
        "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
        "x-goog-api-key: K",
        "GEMINI_API_KEY",
        False,
    ),
    "vertex": (
        "https://us-east5-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-east5/publishers/google/models/m"
        ":generateContent",
        "x-goog-api-key: K",
        None,
        True,
    ),
    "vertex-anthropic": (
        "https://us-east5-aiplatform.googleapis.com/v1/projects/PROJECT/locations/us-east5/publishers/anthropic/models/m"
        ":rawPredict",
        BEARER,
        None,
        True,
    ),
    "bedrock": (
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse",
        BEARER,
        "AWS_BEARER_TOKEN_BEDROCK",
        False,
    ),
    "bedrock-anthropic": (
        "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke",
        BEARER,
        "AWS_BEARER_TOKEN_BEDROCK",
        False,
    ),
    "groq": ("https://api.groq.com/openai/v1/chat/completions", BEARER, "GROQ_API_KEY", False),
    "deepseek": ("https://api.deepseek.com/chat/completions", BEARER, "DEEPSEEK_API_KEY", False),
    "xai": ("https://api.x.ai/v1/chat/completions", BEARER, "XAI_API_KEY", False),
    "openrouter": ("https://openrouter.ai/api/v1/chat/completions", BEARER, "OPENROUTER_API_KEY", False),
    "together": ("https://api.together.ai/v1/chat/completions", BEARER, "TOGETHER_API_KEY", False),
    "fireworks": ("https://api.fireworks.ai/inference/v1/chat/completions", BEARER, "FIREWORKS_API_KEY", False),
    "cerebras": ("https://api.cerebras.ai/v1/chat/completions", BEARER, "CEREBRAS_API_KEY", False),
    "perplexity": ("https://api.perplexity.ai/chat/completions", BEARER, "PERPLEXITY_API_KEY", False),
    "mistral": ("https://api.mistral.ai/v1/chat/completions", BEARER, "MISTRAL_API_KEY", False),
    "cohere": ("https://api.cohere.com/v2/chat", BEARER, "CO_API_KEY", False),
    "nvidia": ("https://integrate.api.nvidia.com/v1/chat/completions", BEARER, "NVIDIA_API_KEY", False),
    "huggingface": ("https://router.huggingface.co/v1/chat/completions", BEARER, "HF_TOKEN", False),
    "moonshot": ("https://api.moonshot.ai/v1/chat/completions", BEARER, "MOONSHOT_API_KEY", False),
    "dashscope": (
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions",
        BEARER,
        "DASHSCOPE_API_KEY",
        False,
    ),
    "zai": ("https://api.z.ai/api/paas/v4/chat/completions", BEARER, "ZAI_API_KEY", False),
    "sambanova": ("https://api.sambanova.ai/v1/chat/completions", BEARER, "SAMBANOVA_API_KEY", False),
    "github": ("https://models.github.ai/inference/chat/completions", BEARER, "GITHUB_TOKEN", False),
    "cloudflare": (
        "https://api.cloudflare.com/client/v4/accounts/ACCOUNT/ai/v1/chat/completions",
        BEARER,
        "CLOUDFLARE_API_KEY",
        False,
    ),
    "databricks": (
        "https://adb-0000000000000000.0.azuredatabricks.net/serving-endpoints/chat/completions",
        BEARER,
        "DATABRICKS_TOKEN",
        False,
    ),
    "snowflake": (
        "https://myorg-myaccount.snowflakecomputing.com/api/v2/cortex/v1/chat/completions",
        BEARER,
        "SNOWFLAKE_PAT",
        False,
    ),
    "vercel": ("https://ai-gateway.vercel.sh/v1/chat/completions", BEARER, "AI_GATEWAY_API_KEY", False),
    "llamacpp": ("http://localhost:8080/v1/chat/completions", BEARER, "LLAMA_API_KEY", True),
    "vllm": ("http://localhost:8000/v1/chat/completions", BEARER, "VLLM_API_KEY", True),
    "lmstudio": ("http://localhost:1234/v1/chat/completions", BEARER, "LM_API_TOKEN", True),
    "ollama": ("http://localhost:11434/api/chat", BEARER, "OLLAMA_API_KEY", True),
}

KNOWN = f"known providers: {', '.join(sorted(HOSTS))}"

LOCAL_HOSTS = ("llamacpp", "vllm", "lmstudio", "ollama")

# Hosts that do not speak OpenAI Chat Completions.
OWN_FORMATS = {
    "openai-responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "gemini": "gemini_generate",
    "vertex": "gemini_generate",
    "vertex-anthropic": "anthropic_messages",
    "bedrock": "bedrock_converse",
    "bedrock-anthropic": "anthropic_messages",
    "mistral": "mistral_chat",
    "ollama": "ollama_chat",
    "cohere": "cohere_chat",
}

# Recorded URLs of a provider's host that are another door of the host than the one we use, with the reason.
OTHER_DOORS = {
    "/api/v1/messages": "a gateway's path: the recorder put Anthropic's host in place of the gateway's",
    "/chat/completions": "Azure's host without its API path: both recordings are 404s",
    "/openai/deployments/": "Azure's API before v1, by deployment and dated version",
    "/api/coding/paas/v4/chat/completions": "Z.AI's door for its coding subscription",
    "/nebius/v1/chat/completions": "Hugging Face's router with the host chosen in the path",
    "/together/v1/chat/completions": "Hugging Face's router with the host chosen in the path",
}


def provider(name: str) -> Provider:
    return resolve("m", provider=name)[0]


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test the providers as a new process has them."""
    monkeypatch.delenv(providers.FILE_VARIABLE, raising=False)
    monkeypatch.setattr(providers, "_registry", providers._Registry())


def message_of(action: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(ProviderError) as caught:
        action(*args, **kwargs)
    return str(caught.value)


def test_every_host_of_the_table_is_known_and_no_other() -> None:
    assert known() == tuple(sorted(HOSTS))


@pytest.mark.parametrize("name", HOSTS)
def test_each_host_has_its_address_key_and_format(name: str) -> None:
    host = provider(name)
    url, header, variable, key_optional = HOSTS[name]
    assert host.endpoint(environ=ENVIRON, model="m") == url
    assert f"{host.auth_header}: " + f"{host.auth_scheme} K".strip() == header
    assert (next(iter(host.key_variables), None), host.key_optional) == (variable, key_optional)
    assert host.format == OWN_FORMATS.get(name, "openai_chat")
    assert host.headers == ({"anthropic-version": "2023-06-01"} if name == "anthropic" else {})
    assert host.query == ({"api-version": "{OPENAI_API_VERSION}"} if name == "azure-deployments" else {})


def test_every_table_of_our_file_names_the_page_that_it_rests_on() -> None:
    blocks = DATA.read_text(encoding="utf-8").split("\n\n")[1:]
    named = {block.partition("\n[")[2].partition("]")[0] for block in blocks if block.startswith("# https://")}
    assert named == set(HOSTS)


@pytest.mark.parametrize("name", [name for name in HOSTS if "{model}" in provider(name).path])
def test_the_recorded_addresses_of_a_host_are_composed_with_the_models_name(name: str) -> None:
    if not CORPUS.is_dir():
        pytest.skip(f"no recordings at {CORPUS}; TRIPTYCH_CORPUS names their place")
    host = provider(name)
    forms = {
        stream: re.escape(_path(host, "MODEL", stream)).replace("MODEL", "([^/:]+|[^/]+)") for stream in (False, True)
    }
    found = [
        (match[0], unquote(match[1]), stream)
        for url in map(urlsplit, _recorded_urls())
        for stream, form in forms.items()
        if (match := re.search(f"{form}$", url.path.replace("//", "/")))
    ]
    assert [unquote(_path(host, model, stream)) for _, model, stream in found] == [unquote(path) for path, *_ in found]
    assert {stream for *_, stream in found} >= ({False, True} if host.stream_path else {False})


def _path(host: Provider, model: str, stream: bool) -> str:
    """Return the part of a host's address from where the model's name is near, as it is at any region or project."""
    path = urlsplit(host.endpoint(environ=ENVIRON, model=model, stream=stream)).path
    return path[path.index("/publishers" if "/publishers" in path else "/model" if "/model" in path else "/openai") :]


def test_no_bare_name_belongs_to_two_hosts() -> None:
    tables = tomllib.loads(DATA.read_text(encoding="utf-8"))
    patterns = [(name, pattern) for name, table in tables.items() for pattern in table.get("models", [])]
    samples = [
        (name, pattern.replace("[0-9]", "5").replace("[4-9]", "4").replace("*", "x")) for name, pattern in patterns
    ]
    assert [(name, model) for name, model in samples if resolve(model)[0].name != name] == []
    by_order = [{other for other, pattern in patterns if fits(model, [pattern])} for _, model in samples]
    assert all(len(owners) == 1 for owners in by_order)


@pytest.mark.parametrize(
    "name", [name for name in HOSTS if "{model}" not in provider(name).path and name not in LOCAL_HOSTS]
)
def test_the_recorded_addresses_of_a_host_are_the_ones_we_compose(name: str) -> None:
    if not CORPUS.is_dir():
        pytest.skip(f"no recordings at {CORPUS}; TRIPTYCH_CORPUS names their place")
    ours = urlsplit(provider(name).endpoint(environ=ENVIRON))
    responses = provider(name).format == "openai_responses"
    urls = [urlsplit(url) for url in _recorded_urls()]
    recorded = [url for url in urls if url.netloc == ours.netloc and url.path.endswith("/responses") == responses]
    paths = {url.path for url in recorded} - {ours.path}
    assert [path for path in paths if not path.replace("//", "/").startswith(tuple(OTHER_DOORS))] == []
    if recorded:
        assert ours.path in {url.path for url in recorded}


@cache
def _recorded_urls() -> list[str]:
    paths = sorted(CORPUS.glob("*/*.json"))
    return [json.loads(path.read_text(encoding="utf-8"))["url"] for path in paths]


@pytest.mark.parametrize(
    ("name", "quirks"),
    [
        ("llamacpp", Quirks(reasoning_fields=("reasoning_content",), output_beside_tools=False)),
        ("huggingface", Quirks()),
        (
            "openai",
            Quirks(
                max_tokens_field="max_completion_tokens",
                reasoning_efforts=("none", "minimal", "low", "medium", "high", "xhigh", "max"),
                video=False,
                unsupported_settings=("top_k",),
            ),
        ),
        (
            "groq",
            Quirks(
                max_tokens_field="max_completion_tokens",
                reasoning_fields=("reasoning",),
                strict_fields=True,
                message_name=False,
                tool_content_parts=True,
                unsupported_settings=("logprobs", "top_logprobs", "top_k"),
                output_modes=("tool", "prompted"),
                output_beside_tools=False,
            ),
        ),
        (
            "nvidia",
            Quirks(strict_fields=True),
        ),
        (
            "deepseek",
            Quirks(
                reasoning_fields=("reasoning_content",),
                reasoning_replay="always",
                reasoning_setting="thinking_effort",
                output_modes=("prompted", "tool"),
            ),
        ),
        (
            "openrouter",
            Quirks(
                reasoning_fields=("reasoning", "reasoning_details"),
                reasoning_setting="reasoning",
                tool_content_parts=True,
            ),
        ),
    ],
)
def test_a_host_has_the_quirks_that_its_reference_gives(name: str, quirks: Quirks) -> None:
    assert provider(name).quirks == quirks


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-5-mini", ("openai", "gpt-5-mini")),
        ("o3-mini", ("openai", "o3-mini")),
        ("chatgpt-4o-latest", ("openai", "chatgpt-4o-latest")),
        ("ft:gpt-4o-mini-2024-07-18:org::id", ("openai", "ft:gpt-4o-mini-2024-07-18:org::id")),
        ("claude-haiku-4-5", ("anthropic", "claude-haiku-4-5")),
        ("grok-4.3", ("xai", "grok-4.3")),
        ("deepseek-reasoner", ("deepseek", "deepseek-reasoner")),
        ("mistral-large-latest", ("mistral", "mistral-large-latest")),
        ("command-a-03-2025", ("cohere", "command-a-03-2025")),
        ("kimi-k3", ("moonshot", "kimi-k3")),
        ("glm-5.2", ("zai", "glm-5.2")),
        ("sonar", ("perplexity", "sonar")),
        ("openai/gpt-5-mini", ("openai", "gpt-5-mini")),
        ("llamacpp/smollm2", ("llamacpp", "smollm2")),
        ("openrouter/meta-llama/llama-3:free", ("openrouter", "meta-llama/llama-3:free")),
        ("openrouter/openai/gpt-4o", ("openrouter", "openai/gpt-4o")),
        ("together/meta-llama/Llama-3.3-70B-Instruct-Turbo", ("together", "meta-llama/Llama-3.3-70B-Instruct-Turbo")),
        ("cloudflare/@cf/meta/llama-3.1-8b-instruct", ("cloudflare", "@cf/meta/llama-3.1-8b-instruct")),
        ("ollama/gpt-oss:120b", ("ollama", "gpt-oss:120b")),
    ],
)
def test_a_models_name_gives_its_provider(model: str, expected: tuple[str, str]) -> None:
    host, name = resolve(model)
    assert (host.name, name) == expected


@pytest.mark.parametrize(
    ("model", "name", "expected"),
    [
        ("openai/gpt-oss-20b", "groq", "openai/gpt-oss-20b"),
        ("groq/openai/gpt-oss-20b", "groq", "openai/gpt-oss-20b"),
        ("gpt-5-mini", "azure", "gpt-5-mini"),
        ("anything at all", "vllm", "anything at all"),
    ],
)
def test_a_given_provider_takes_the_model_whole_but_for_its_own_name(model: str, name: str, expected: str) -> None:
    host, rest = resolve(model, provider=name)
    assert (host.name, rest) == (name, expected)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (
            "gtp-4o",
            "no provider is known for model 'gtp-4o' (did you mean 'gpt-…' of openai?); write 'provider/model', such "
            f"as 'openrouter/gtp-4o', or give provider=; {KNOWN}",
        ),
        (
            "gpt-oss-120b",
            "no provider is known for model 'gpt-oss-120b'; write 'provider/model', such as 'openrouter/gpt-oss-120b', "
            f"or give provider=; {KNOWN}",
        ),
        (
            "meta-llama/llama-3",
            "unknown provider 'meta-llama' in model 'meta-llama/llama-3' (did you mean 'ollama'?); a model with a "
            f"slash in its own name needs its host before it, such as 'openrouter/meta-llama/llama-3'; {KNOWN}",
        ),
        ("openai", f"model 'openai' is the name of a provider; expected 'openai/<model>'; {KNOWN}"),
        ("openai/", "model 'openai/' names a provider and no model; expected 'openai/<model>'"),
        ("", "model: expected a name such as 'openai/gpt-5-mini', got '' (str)"),
        (None, "model: expected a name such as 'openai/gpt-5-mini', got None (NoneType)"),
    ],
)
def test_an_unknown_model_says_what_was_meant_and_what_there_is(model: Any, message: str) -> None:
    assert message_of(resolve, model) == message


def test_an_unknown_given_provider_names_the_nearest() -> None:
    expected = f"unknown provider 'opneai' (did you mean 'openai'?); {KNOWN}"
    assert message_of(resolve, "gpt-5-mini", provider="opneai") == expected


def test_threads_that_register_and_resolve_lose_nothing() -> None:
    start, failures = threading.Barrier(16), []

    def work(number: int) -> None:
        start.wait()
        for turn in range(20):
            name = f"house{number}x{turn}"
            host = register_provider(name, base_url=f"https://{name}", models=[f"{name}-*"])
            if resolve(f"{name}-m") != (host, f"{name}-m") or resolve("gpt-5")[0].name != "openai":
                failures.append(name)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert set(known()) == {*HOSTS, *(f"house{number}x{turn}" for number in range(16) for turn in range(20))}


def test_importing_the_module_reads_no_file_and_loads_no_toml_reader() -> None:
    code = (
        "import sys, triptych.providers as p; loaded = 'tomllib' in sys.modules;"
        "p.resolve('gpt-5-mini'); print(loaded, sorted(p._registry.known()._made))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "False ['openai']\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_process_forked_while_a_change_is_under_way_can_make_its_own() -> None:
    code = (
        "import os, threading, triptych.providers as p\n"
        "held, done = threading.Event(), threading.Event()\n"
        "def hold():\n"
        "    with p._registry._lock:\n"
        "        held.set(); done.wait()\n"
        "thread = threading.Thread(target=hold); thread.start(); held.wait()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    p.register_provider('house', base_url='https://h'); os._exit(0)\n"
        "status = os.waitpid(child, 0)[1]; done.set(); thread.join(); print(status)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout == "0\n"
