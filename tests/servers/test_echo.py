"""The echo handler gives valid answers that name their question."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from tests.chat_hosts import ALL_HOSTS, ChatHost
from tests.servers.echo import answer_to, echo, question_of
from tests.servers.script import serve
from triptych import LlmRequest, Message


def _ask(url: str, content: object) -> requests.Response:
    messages = [{"role": "user", "content": content}]
    return requests.post(url, json={"model": "m-1", "max_tokens": 9, "messages": messages}, timeout=5)


def test_a_chat_completion_names_the_question() -> None:
    with serve(echo()) as server:
        response = _ask(f"{server.url}/v1/chat/completions", "What is 2 + 2?")
    body = response.json()
    assert (body["id"], body["object"], body["model"]) == ("chatcmpl-0", "chat.completion", "m-1")
    assert body["choices"][0]["message"]["content"] == "You asked: What is 2 + 2?"
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"] == {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}


def test_an_anthropic_message_names_the_question() -> None:
    with serve(echo()) as server:
        response = _ask(
            f"{server.url}/v1/messages", [{"type": "text", "text": "What is "}, {"type": "text", "text": "5?"}]
        )
    body = response.json()
    assert (body["id"], body["type"], body["role"], body["model"]) == ("msg_0", "message", "assistant", "m-1")
    assert body["content"] == [{"type": "text", "text": "You asked: What is 5?", "citations": None}]
    assert body["stop_reason"] == "end_turn"


def test_each_answer_sets_a_cookie_of_its_own() -> None:
    with serve(echo()) as server:
        cookies = [_ask(f"{server.url}/v1/messages", "q").headers["Set-Cookie"] for _ in range(2)]
    assert cookies == ["visit=0; Path=/", "visit=1; Path=/"]


def test_many_threads_each_get_the_answer_to_their_question() -> None:
    questions = [f"question {number}" for number in range(64)]
    with serve(echo()) as server, ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(lambda question: _ask(f"{server.url}/chat/completions", question), questions))
    texts = [response.json()["choices"][0]["message"]["content"] for response in responses]
    assert texts == [answer_to(question) for question in questions]


def test_an_unknown_path_is_not_found() -> None:
    with serve(echo()) as server:
        response = _ask(f"{server.url}/v1/embeddings", "q")
    assert response.status_code == 404
    assert response.json()["error"]["message"] == "no such path: /v1/embeddings"


@pytest.mark.parametrize(
    ("messages", "question"),
    [
        ([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}], "a"),
        ([{"role": "user", "content": "a"}, {"role": "user", "content": [{"type": "text", "text": "c"}]}], "c"),
        ([{"role": "system", "content": "s"}], ""),
    ],
)
def test_the_question_is_the_last_thing_the_user_said(messages: list[object], question: str) -> None:
    assert question_of({"messages": messages}) == question


@pytest.mark.parametrize("host", ALL_HOSTS, ids=lambda host: host.provider)
def test_every_format_is_answered_with_the_question_that_its_own_client_asks(host: ChatHost) -> None:
    with serve(echo()) as server, host.client(server) as client:
        history = [Message("user", "a"), Message("assistant", "b"), Message("user", "What is 5?")]
        response = client.generate(LlmRequest(contents=history))
        assert server.requests[0].path == host.path
    assert (response.text, response.error) == (answer_to("What is 5?"), None)
