"""Tests of the providers that a user adds: by a call, by a file of their own, and with something wrong in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from attrs import fields

from triptych import formats, provider_tables, providers
from triptych.providers import Provider, ProviderError, Quirks, known, load_providers, register_provider, resolve

if TYPE_CHECKING:
    from pathlib import Path

OURS = known()


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test the providers as a new process has them."""
    monkeypatch.delenv(providers.FILE_VARIABLE, raising=False)
    monkeypatch.setattr(providers, "_registry", providers._Registry())


def message_of(action: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(ProviderError) as caught:
        action(*args, **kwargs)
    return str(caught.value)


def test_a_registered_provider_is_found_by_its_name_and_its_models() -> None:
    host = register_provider("house", base_url="https://llm.house/v1", key_variables=["HOUSE_KEY"], models=["house-*"])
    assert host == Provider(
        name="house", base_url="https://llm.house/v1", key_variables=("HOUSE_KEY",), models=("house-*",)
    )
    assert resolve("house/a/b") == (host, "a/b")
    assert resolve("house-small") == (host, "house-small")
    assert "house" in known()


def test_a_registered_provider_without_key_variables_takes_no_key() -> None:
    assert register_provider("house", base_url="https://llm.house").key_optional


def test_what_a_user_registers_comes_before_what_we_know() -> None:
    register_provider("house", base_url="https://llm.house", models=["gpt-*"])
    assert resolve("gpt-5-mini")[0].name == "house"
    register_provider("openai", base_url="https://proxy.house/v1", models=["gpt-*"])
    assert resolve("gpt-5-mini")[0].base_url == "https://proxy.house/v1"


def test_like_takes_the_dialect_over_and_never_the_address_key_or_models() -> None:
    host = register_provider("house", base_url="https://llm.house", like="anthropic", headers={"x-team": "a"})
    assert host == Provider(
        name="house",
        format="anthropic_messages",
        base_url="https://llm.house",
        path="v1/messages",
        auth_header="x-api-key",
        auth_scheme="",
        headers={"x-team": "a"},
        models_quirks={
            "claude-[23]*|claude-instant*|claude-sonnet-4-[02]*|claude-opus-4-[02]*": {
                "output_modes": ("tool", "prompted")
            }
        },
    )
    assert host.endpoint() == "https://llm.house/v1/messages"


def test_like_lays_single_quirks_over_those_of_the_other() -> None:
    host = register_provider("house", base_url="https://llm.house", like="groq", quirks={"message_name": True})
    assert host.quirks == Quirks(
        max_tokens_field="max_completion_tokens",
        reasoning_fields=("reasoning",),
        strict_fields=True,
        tool_content_parts=True,
        unsupported_settings=("logprobs", "top_logprobs", "top_k"),
        output_modes=("tool", "prompted"),
        output_beside_tools=False,
    )


def test_another_format_than_that_of_like_has_its_own_path() -> None:
    host = register_provider("house", base_url="https://llm.house", like="groq", format="anthropic_messages")
    assert host.endpoint() == "https://llm.house/v1/messages"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            {"auth_headr": "x"},
            "register_provider: house.auth_headr: unknown key (did you mean 'auth_header'?); known: "
            + ", ".join(provider_tables._PROVIDER_FORMS),
        ),
        (
            {"format": "openai-chat"},
            f"register_provider: house.format: expected one of {', '.join(map(repr, formats.names()))}, "
            "got 'openai-chat' (str)",
        ),
        (
            {"key_variables": "HOUSE_KEY"},
            "register_provider: house.key_variables: expected a list of strings, got 'HOUSE_KEY' (str)",
        ),
        (
            {"headers": {"x-key": ["hidden"]}},
            "register_provider: house.headers: expected a table of strings, got a dict",
        ),
        (
            {"quirks": {"stream_option": False}},
            "register_provider: house.quirks.stream_option: unknown key (did you mean 'stream_options'?); known: "
            + ", ".join(field.name for field in fields(Quirks)),
        ),
        (
            {"quirks": {"stream_options": "no"}},
            "register_provider: house.quirks.stream_options: expected true or false, got 'no' (str)",
        ),
        (
            {"models_quirks": {"a*": {"reasoning_replay": "maybe"}}},
            "register_provider: house.models_quirks.'a*'.reasoning_replay: expected one of 'never', 'sent', 'always', "
            "got 'maybe' (str)",
        ),
        (
            {"models_quirks": {"a*": True}},
            "register_provider: house.models_quirks.'a*': expected a table, got True (bool)",
        ),
        (
            {"like": "grok"},
            "register_provider: house.like: unknown provider 'grok' (did you mean 'groq'?); "
            + "known: "
            + ", ".join(OURS),
        ),
        ({"base_url": ""}, "register_provider: house.base_url: expected the address of the host, got nothing"),
    ],
)
def test_a_wrong_key_or_value_is_named_by_its_path(data: dict[str, Any], message: str) -> None:
    before = known()
    assert message_of(register_provider, "house", **{"base_url": "https://h", **data}) == message
    assert known() == before


def test_a_setting_that_nobody_has_cannot_be_unsupported() -> None:
    quirks = {"unsupported_settings": ["temprature"]}
    message = message_of(register_provider, "house", base_url="https://h", quirks=quirks)
    assert message.startswith(
        "register_provider: house.quirks.unsupported_settings: expected a list of settings, out of temperature, top_p, "
    )
    assert message.endswith(", got ['temprature'] (list)")


@pytest.mark.parametrize("name", ["", "a/b"])
def test_a_providers_name_has_no_slash_and_is_not_empty(name: str) -> None:
    expected = f"register_provider: expected a provider's name without a slash, got {name!r}"
    assert message_of(register_provider, name, base_url="https://h") == expected


OWN = """
[house]
base_url = "https://{HOUSE_HOST}/v1"
key_variables = ["HOUSE_KEY"]
models = ["house-*"]
quirks.max_tokens_field = "max_completion_tokens"

[annex]
like = "house"
base_url = "https://annex/v1"
"""


def test_a_users_file_adds_providers(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    load_providers(path)
    assert resolve("house-1")[0] == Provider(
        name="house",
        base_url="https://{HOUSE_HOST}/v1",
        key_variables=("HOUSE_KEY",),
        models=("house-*",),
        quirks=Quirks(max_tokens_field="max_completion_tokens"),
    )
    assert resolve("annex/x")[0] == Provider(
        name="annex", base_url="https://annex/v1", quirks=Quirks(max_tokens_field="max_completion_tokens")
    )


def test_the_file_that_the_environment_names_is_read_at_first_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    monkeypatch.setenv(providers.FILE_VARIABLE, str(path))
    assert resolve("house-1")[0].name == "house"
    assert set(known()) == {*OURS, "house", "annex"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[house]\nbase_url = 7\n", "house.base_url: expected a string, got 7 (int)"),
        ("[house]\nkey_optional = true\n", "house.base_url: expected the address of the host, got nothing"),
        ("house = 'https://h'\n", "house: expected a table, got 'https://h' (str)"),
        (OWN + "[later]\nbase_url = 'https://h'\npath = ['v1']\n", "later.path: expected a string, got ['v1'] (list)"),
    ],
)
def test_an_error_in_a_users_file_names_file_and_key_and_adds_nothing(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    assert message_of(load_providers, path) == f"{path}: {message}"
    assert known() == OURS


@pytest.mark.parametrize("content", [b"[house\n", b"x = '\xff'\n"])
def test_a_file_that_is_not_toml_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "own.toml"
    path.write_bytes(content)
    assert message_of(load_providers, path).startswith(f"{path}: is not TOML: ")


def test_a_file_that_is_not_there_is_refused_at_every_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(providers.FILE_VARIABLE, "/nowhere/own.toml")
    expected = "/nowhere/own.toml: cannot be read: No such file or directory"
    assert [message_of(resolve, "gpt-5-mini") for _ in range(2)] == [expected, expected]


def test_every_key_that_a_table_may_have_is_a_field_and_every_field_a_key() -> None:
    assert [*provider_tables._QUIRK_FORMS] == [field.name for field in fields(Quirks)]
    assert {*provider_tables._PROVIDER_FORMS} - {"like"} == {field.name for field in fields(Provider)} - {"name"}
    assert {*provider_tables.ProviderData.__annotations__} == {*provider_tables._PROVIDER_FORMS} - {"base_url"}
