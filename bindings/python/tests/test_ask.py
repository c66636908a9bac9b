"""Is a model asked until there is a value, whatever the model is, and with how much?"""

import asyncio
import inspect
import json
import pickle
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import llmend
import pytest

TRIP = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"],
}


class Scripted:
    """A model with its answers, one an attempt; an exception is raised."""

    __name__ = "scripted"

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.requests: list[llmend.Request] = []

    def __call__(self, request: llmend.Request) -> object:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def test_the_first_answer_is_enough_if_it_can_be_used():
    model = Scripted("Sure! {'city': 'Oslo', 'days': '3',}")
    answered = llmend.ask(model, "A trip, please.", TRIP)
    assert answered.value == {"city": "Oslo", "days": 3}
    assert (answered.validity, answered.report.status) == ("valid", "repaired")
    assert [coercion.kind for coercion in answered.coercions] == ["number-from-text"]
    [request] = model.requests
    assert [message["role"] for message in request.messages] == ["system", "user"]
    assert request.messages[1]["content"] == "A trip, please."
    assert (request.form, json.loads(request.schema)) == ("schema", TRIP)
    # Members are shown in the order in which they should be written.
    assert request.schema.index("city") < request.schema.index("days")


def test_only_what_does_not_fit_is_asked_for_again():
    model = Scripted("{'city': 'Oslo', 'days': 'a few'}", '{"days": 3}')
    seen: list[object] = []
    answered = llmend.ask(
        model, "A trip, please.", TRIP, on_attempt=seen.append, on_repair=seen.append, on_give_up=seen.append
    )
    assert answered.value == {"city": "Oslo", "days": 3}
    first, repair, second = seen
    assert (first.number, first.of, first.model, first.strategy, first.is_last) == (1, 3, "scripted", None, False)
    assert (repair.failure, repair.strategy, repair.retry, repair.of) == ("schema", "fields", 1, 2)
    assert repair.findings[0].path == "/days"
    assert (second.number, second.strategy) == (2, "fields")
    assert "/days" in model.requests[1].messages[-1]["content"]


def test_what_a_validator_says_goes_back_to_the_model():
    from pydantic import BaseModel, field_validator

    class Trip(BaseModel):
        city: str

        @field_validator("city")
        @classmethod
        def is_capital(cls, city: str) -> str:
            if city != "Oslo":
                raise ValueError("it is no capital")
            return city

    model = Scripted("{'city': 'Bergen'}", '{"city": "Oslo"}')
    answered = llmend.ask(model, "A capital.", Trip)
    assert answered.value == Trip(city="Oslo")
    assert "it is no capital" in model.requests[1].messages[-1]["content"]
    [attempt, _] = answered.ledger.attempts
    assert [(row.code, row.path) for row in attempt.findings] == [("schema/validator", "/city")]


def test_what_a_validator_raises_ends_the_question():
    from pydantic import BaseModel, field_validator

    class Trip(BaseModel):
        city: str

        @field_validator("city")
        @classmethod
        def fails(cls, city: str) -> str:
            raise KeyError(city)

    model = Scripted("{'city': 'Bergen'}", "{'city': 'Bergen'}")
    with pytest.raises(KeyError):
        llmend.ask(model, "A capital.", Trip)
    assert len(model.requests) == 1


def test_what_was_found_has_places_in_code_points():
    answer = "😀😀 {'city': 'Orléans', 'days': 'several'}"
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask(Scripted(answer, answer), "A trip.", TRIP, options=llmend.AskOptions(ladder=["full"]))
    error = caught.value
    assert (error.code, error.model, error.answer) == ("ask/same-findings", "scripted", answer)
    assert answer[slice(*error.diagnostics[0].span)] == "'several'" == answer[slice(*error.span)]
    assert [attempt.failure for attempt in error.ledger.attempts] == ["schema", "schema"]
    assert "days" in str(error) and error.advice
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code, again.ledger) == (str(error), error.code, error.ledger)


def test_an_answer_that_was_put_together_has_no_places_that_are_not_known():
    model = Scripted("{'city': 'é', 'days': 'a few'}", '{"days": "some"}', '{"days": "many"}')
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask(model, "A trip.", TRIP, options=llmend.AskOptions(on_same_findings="go-on", ladder=["fields"]))
    first, second, _ = caught.value.ledger.attempts
    assert first.findings[0].span is not None and second.strategy == "fields"
    assert [row.span for row in second.findings] == [None] * len(second.findings)


def test_a_conversation_goes_on():
    model = Scripted("[1]")
    said = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": "Count."}]
    assert llmend.ask(model, said, list[int]).value == [1]
    assert model.requests[0].messages[1:] == said
    model = Scripted("[1]")
    llmend.ask(model, "Count.", list[int], rules="JSON alone.")
    assert model.requests[0].messages[0] == {"role": "system", "content": "JSON alone."}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (llmend.ModelError("rate-limited", "slow down", status=429), "model/rate-limited"),
        (TimeoutError(), "model/timeout"),
        (ConnectionResetError("gone"), "model/connection"),
    ],
)
def test_an_answer_that_does_not_arrive(error, code):
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask(Scripted(error), "A trip.", TRIP)
    assert caught.value.code == code and caught.value.ledger.attempts[0].failure == "transport"
    model = Scripted(error, "{'city': 'Oslo', 'days': 3}")
    options = llmend.AskOptions(transport_retries=1)
    assert llmend.ask(model, "A trip.", TRIP, options=options).value["city"] == "Oslo"


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyboardInterrupt()])
def test_what_else_a_model_raises_is_the_callers_own(error):
    with pytest.raises(type(error)):
        llmend.ask(Scripted(error), "A trip.", TRIP)
    with pytest.raises(TypeError, match="str or llmend.Reply"):
        llmend.ask(Scripted({"city": "Oslo"}), "A trip.", TRIP)


def test_a_model_without_another_answer_ends_the_question():
    def model(answers: Iterator[str]) -> Callable[[llmend.Request], str]:
        return lambda request: next(answers)

    with pytest.raises(RuntimeError, match="no more answers"):
        llmend.ask(model(iter(["no trip"])), "A trip.", TRIP)
    with pytest.raises(RuntimeError, match="no more answers"):
        asyncio.run(asyncio.wait_for(llmend.ask_async(model(iter(["no trip"])), "A trip.", TRIP), 30))


def test_an_answer_with_half_of_a_character_fails_its_attempt():
    for text in ["{'city': '\ud83d', 'days': 3}", llmend.Reply("{'city': 'Os\udc00', 'days': 3}")]:
        with pytest.raises(llmend.AskError, match="unpaired surrogate") as caught:
            llmend.ask(Scripted(text), "A trip.", TRIP)
        assert caught.value.code == "model/interrupted" and len(caught.value.ledger.attempts) == 1
        options = llmend.AskOptions(transport_retries=1)
        model = Scripted(text, "{'city': 'Oslo', 'days': 3}")
        assert llmend.ask(model, "A trip.", TRIP, options=options).value == {"city": "Oslo", "days": 3}
        with pytest.raises(llmend.AskError):
            llmend.Planner().run(Scripted(text), "Do it.")


def test_a_reply_has_text_and_an_error_a_kind():
    with pytest.raises(TypeError, match=r"Reply\.text"):
        llmend.Reply(None)
    with pytest.raises(TypeError, match=r"Reply\.input_tokens"):
        llmend.Reply("", input_tokens="3")
    with pytest.raises(ValueError, match=r"Reply\.output_tokens"):
        llmend.Reply("", output_tokens=-1)
    with pytest.raises(ValueError, match=r"ModelError\.kind: .*'bogus'"):
        llmend.ModelError("bogus", "no")
    with pytest.raises(ValueError, match=r"ModelError\.status"):
        llmend.ModelError("server", "no", status=70_000)
    reply = llmend.Reply("[1]", finish=None, refusal=None)
    assert llmend.ask(Scripted(reply), "Count.", list[int]).value == [1]
    with pytest.raises(llmend.AskError, match="cut"):
        llmend.ask(Scripted(llmend.ModelError("server", "cut \ud83d")), "Count.", list[int])


def test_a_conversation_is_taken_as_openai_has_it():
    said = [
        {"role": "developer", "content": "Be short."},
        {"role": "assistant", "content": "Yes?", "tool_calls": None},
        {"role": "user", "content": [{"type": "text", "text": "Count "}, {"type": "text", "text": "to one."}]},
    ]
    model = Scripted("[1]")
    llmend.ask(model, said, list[int])
    told = [(message["role"], message["content"]) for message in model.requests[0].messages]
    assert told[-3:] == [("system", "Be short."), ("assistant", "Yes?"), ("user", "Count to one.")]


@pytest.mark.parametrize(
    ("message", "kind", "place"),
    [
        ({"role": "tool", "content": "3"}, ValueError, r"prompt\[1\]\.role: .*'tool'"),
        ({"content": "3"}, ValueError, r"prompt\[1\]\.role: .*None"),
        ({"role": "user", "content": None}, TypeError, r"prompt\[1\]\.content: "),
        ({"role": "user", "content": [{"type": "image_url"}]}, ValueError, r"prompt\[1\]\.content\[0\]"),
        ({"role": "user", "content": "\ud83d"}, ValueError, r"prompt\[1\]\.content: unpaired"),
        ({"role": "assistant", "content": "", "tool_calls": [{}]}, ValueError, r"prompt\[1\]\.tool_calls"),
        ("Count.", TypeError, r"prompt\[1\]: "),
    ],
)
def test_what_no_model_would_be_sent_is_refused_in_plain_words(message, kind, place):
    model = Scripted("[1]")
    for ask in [lambda said: llmend.ask(model, said, list[int]), lambda said: llmend.Planner().run(model, said)]:
        with pytest.raises(kind, match=place):
            ask([{"role": "user", "content": "Hello."}, message])
    assert not model.requests


def test_what_a_callback_raises_ends_the_question():
    def stop(asking: llmend.AttemptRequest) -> None:
        raise InterruptedError

    model = Scripted("{}")
    with pytest.raises(InterruptedError):
        llmend.ask(model, "A trip.", TRIP, on_attempt=stop)
    assert not model.requests


def test_a_budget_of_tokens_and_money_is_kept():
    reply = llmend.Reply("{'city': 'Oslo'}", input_tokens=1_000, output_tokens=500)
    model = llmend.Model(Scripted(*[reply] * 3), name="dear", price=(2.5, 10))
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask(model, "A trip.", TRIP, options=llmend.AskOptions(cost=0.008))
    ledger = caught.value.ledger
    assert caught.value.code == "ask/cost" and len(ledger.attempts) == 1
    assert ledger.cost == ledger.attempts[0].cost == pytest.approx(1_000 * 2.5e-6 + 500 * 10e-6)
    assert (ledger.usage.input, ledger.usage.output, ledger.usage.estimated) == (1_000, 500, False)
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask(Scripted(reply, reply), "A trip.", TRIP, options=llmend.AskOptions(tokens=1_600))
    assert caught.value.code == "ask/tokens"
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask(Scripted(reply), "A trip.", TRIP, options=llmend.AskOptions(cost=1))
    assert caught.value.code == "ask/no-price" and not caught.value.ledger.attempts
    limited = Scripted("{'city': 'Oslo', 'days': 3}")
    llmend.ask(limited, "A trip.", TRIP, options=llmend.AskOptions(answer_tokens=77, temperature=0.5, seconds=60))
    [request] = limited.requests
    assert (request.max_output_tokens, request.temperature) == (77, 0.5) and 0 < request.timeout <= 60


def test_the_time_that_is_over_ends_the_question():
    async def waits(request: llmend.Request) -> str:
        await asyncio.get_running_loop().create_future()

    started = time.monotonic()
    with pytest.raises(llmend.AskError) as caught:
        asyncio.run(llmend.ask_async(waits, "A trip.", TRIP, options=llmend.AskOptions(seconds=0.05)))
    assert caught.value.code == "model/timeout" and time.monotonic() - started < 30


def test_the_ladder_ends_with_another_model():
    first, second = Scripted("{'city': 'Oslo'}"), Scripted("{'city': 'Oslo', 'days': 3}")
    models = [llmend.Model(first, name="small"), llmend.Model(second, name="large")]
    answered = llmend.ask(models, "A trip.", TRIP, options=llmend.AskOptions(ladder=["escalate"]))
    assert [attempt.model for attempt in answered.ledger.attempts] == ["small", "large"]
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask([], "A trip.", TRIP)
    assert caught.value.code == "ask/no-model"


def test_the_last_value_is_handed_back_if_that_is_wanted():
    from pydantic import BaseModel

    class Trip(BaseModel):
        city: str
        days: int

    back = llmend.AskOptions(retries=0, on_exhausted="hand-back")
    answered = llmend.ask(Scripted("{'city': 'Oslo'}"), "A trip.", TRIP, options=back)
    assert (answered.value, answered.validity) == ({"city": "Oslo"}, "invalid")
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask(Scripted("{'city': 'Oslo'}"), "A trip.", Trip, options=back)
    assert (caught.value.code, caught.value.diagnostics[0].path) == ("schema/validator", "/days")
    off = llmend.AskOptions(check="off")
    answered = llmend.ask(Scripted("{'city': 'Oslo'}"), "A trip.", TRIP, options=off)
    assert (answered.value, answered.validity) == ({"city": "Oslo"}, "unchecked")


def test_a_ledger_keeps_what_the_options_say():
    answer = "{'city': 'Oslo', 'days': 3}"
    kept = llmend.ask(Scripted(answer), "A trip.", TRIP, options=llmend.AskOptions(keep=5)).ledger.attempts[0]
    assert (kept.answer, kept.answer_hash, kept.answer_bytes) == ("{'cit", None, len(answer))
    kept = llmend.ask(Scripted(answer), "A trip.", TRIP, options=llmend.AskOptions(keep="hash")).ledger.attempts[0]
    assert kept.answer is None and len(kept.answer_hash) == 16


def test_a_refusal_is_reported():
    refusing = Scripted(llmend.Reply("", finish="content_filter", refusal="I cannot."))
    with pytest.raises(llmend.AskError) as caught:
        llmend.ask(refusing, "A trip.", TRIP)
    assert caught.value.code == "ask/refused" and "I cannot." in caught.value.diagnostics[0].message


def test_wrong_options_are_refused():
    for wrong in [{"preset": "none"}, {"ladder": ["none"]}, {"cost": -1.0}, {"seconds": -1.0}, {"keep": "all"}, {"check": "?"}]:
        with pytest.raises(ValueError):
            llmend.AskOptions(**wrong)
    assert llmend.AskOptions("gomind") == llmend.AskOptions("gomind") != llmend.AskOptions()
    with pytest.raises(llmend.SchemaError):
        llmend.ask(Scripted("{}"), "A trip.", {"type": "no-such-type"})
    with pytest.raises(TypeError):
        llmend.Model("gpt")


def test_options_are_the_same_in_another_process():
    tools = llmend.Catalog({"search": {"type": "object", "required": ["query"]}})
    for made in [
        llmend.AskOptions(),
        llmend.AskOptions("gomind", ladder=["patch", "escalate"], on_cut="full", tokens=9, cost=2.5, seconds=1.5, keep="hash"),
        llmend.AskOptions(check="off", on_same_findings="go-on", on_exhausted="hand-back", temperature=0.3, shown=7),
        llmend.PlanOptions(),
        llmend.PlanOptions(dialect="openmanus", strictness="strict", on_bad_step="drop", disabled=["ai_step"]),
        llmend.PlanOptions(catalog=tools, on_near_tool="rename", max_items=3),
        tools,
    ]:
        assert pickle.loads(pickle.dumps(made)) == made
    assert pickle.loads(pickle.dumps(tools)).nearest("serch") == "search"
    plan = "{steps: [{id: 'a', tool: 'search', arguments: {}}]}"
    for catalog in (tools, pickle.loads(pickle.dumps(tools))):
        reviewed = llmend.review(plan, options=llmend.PlanOptions(catalog=catalog))
        assert [row.code for row in reviewed.diagnostics if row.severity == "error"] == ["plan/arguments"]


def test_a_plan_is_asked_for_and_changed():
    tools = llmend.Catalog({"search": {"type": "object"}, "book": {"type": "object"}})
    reading = llmend.PlanOptions(catalog=tools)
    model = Scripted("{steps: [{id: 'a', tool: 'serch'}]}", "Plan: {steps: [{id: 'a', tool: 'search'}]}")
    planned = llmend.Planner(reading=reading, options=llmend.AskOptions(ladder=["full"])).run(model, "Find a hotel")
    assert planned.document == llmend.Plan({"steps": [{"id": "a", "tool": "search"}]})
    assert "search" in model.requests[0].messages[0]["content"]
    assert [attempt.failure for attempt in planned.ledger.attempts] == ["schema", None]

    patch = Scripted("{'add_steps': [{'id': 'b', 'tool': 'book', 'depends_on': ['a']}]}")
    changed = llmend.Planner(reading=reading, changing=planned.document).run(patch, "Book it")
    assert [step["id"] for step in changed.document.steps] == ["a", "b"]
    with pytest.raises(llmend.AskError) as caught:
        llmend.Planner().run(Scripted("No plan.", "No plan."), "Find a hotel")
    assert caught.value.ledger.attempts[0].failure == "no-json"


def test_a_plan_is_awaited():
    async def model(request: llmend.Request) -> str:
        await asyncio.sleep(0)
        return "{steps: [{id: 'a'}]}"

    planned = asyncio.run(llmend.Planner().run_async(model, "Tea"))
    assert planned.document.steps == [{"id": "a"}]


def test_many_questions_are_under_way_at_once():
    async def model(request: llmend.Request) -> str:
        await asyncio.sleep(0)
        return f"{{'n': {request.messages[-1]['content']}}}"

    async def all_of_them() -> list[object]:
        asked = (llmend.ask_async(model, str(n), {"type": "object"}) for n in range(50))
        return [answered.value["n"] for answered in await asyncio.gather(*asked)]

    assert asyncio.run(all_of_them()) == list(range(50))


def test_a_model_that_waits_does_not_keep_others_waiting():
    let_go = threading.Event()

    def waits(request: llmend.Request) -> str:
        assert let_go.wait(60)
        return "[1]"

    async def both() -> list[int]:
        first = asyncio.create_task(llmend.ask_async(waits, "Count.", list[int]))
        await asyncio.sleep(0)
        let_go.set()
        return (await first).value

    assert asyncio.run(both()) == [1]


def test_a_promise_is_not_taken_for_an_answer():
    async def model(request: llmend.Request) -> str:
        return "{}"

    for promising in [model, lambda request: model(request)]:
        with pytest.raises(TypeError):
            llmend.ask(promising, "A trip.", TRIP)


def completion(text: str, **message: object) -> dict:
    """What OpenAI's server answers."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-4o-mini",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def fake(*answers: object) -> SimpleNamespace:
    """What is used like a client of OpenAI."""
    calls: list[dict] = []

    def create(**arguments: object) -> object:
        calls.append(arguments)
        answer = answers[len(calls) - 1]
        if isinstance(answer, Exception):
            raise answer
        return json.loads(json.dumps(answer), object_hook=lambda row: SimpleNamespace(**row))

    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)), calls=calls)


def test_a_client_is_asked_for_the_schema():
    client = fake(completion("{'city': 'Oslo'}"), completion('{"days": 3}'))
    model = llmend.OpenAIModel(client, "gpt-4o-mini", seed=7)
    answered = llmend.ask(model, "A trip.", TRIP)
    assert answered.value == {"city": "Oslo", "days": 3}
    assert answered.ledger.attempts[0].model == "openai:gpt-4o-mini"
    assert (answered.ledger.usage.input, answered.ledger.usage.output) == (22, 14)
    first = client.calls[0]
    assert (first["model"], first["seed"]) == ("gpt-4o-mini", 7)
    assert first["response_format"]["json_schema"]["schema"] == TRIP
    assert "temperature" not in first and "timeout" not in first


def test_a_client_says_which_model_by_its_adapter():
    with pytest.raises(TypeError, match="OpenAIModel"):
        llmend.ask(fake(), "A trip.", TRIP)


def test_a_tool_call_is_the_answer():
    call = {"id": "1", "type": "function", "function": {"name": "trip", "arguments": "{'city': 'Oslo', 'days': 3}"}}
    client = fake(completion("", tool_calls=[call]))
    assert llmend.ask(llmend.OpenAIModel(client, "m"), "A trip.", TRIP).value["days"] == 3


class Server:
    """Answers as the script says, one status and body a request, and keeps what it was asked."""

    def __init__(self, *script: tuple[int, dict]) -> None:
        self.requests: list[dict] = []
        rows, requests = list(script), self.requests

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                requests.append({"path": self.path, "key": self.headers["authorization"], **json.loads(body)})
                status, answer = rows.pop(0)
                told = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            def log_message(self, *told: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self) -> "Server":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *told: object) -> None:
        self.server.shutdown()
        self.server.server_close()


REFUSED_SCHEMA = {"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported", "code": None}}


def asked(server: Server, kind: str, **more: object) -> llmend.ValueAnswer:
    """A trip, of the real client of OpenAI."""
    openai = pytest.importorskip("openai")
    told = {"base_url": server.url, "api_key": "sk-test", "max_retries": 0}
    if kind == "OpenAI":
        with openai.OpenAI(**told) as client:
            return llmend.ask(llmend.OpenAIModel(client, "gpt-4o-mini"), "A trip.", TRIP, **more)

    async def later() -> llmend.ValueAnswer:
        async with openai.AsyncOpenAI(**told) as client:
            model = llmend.OpenAIModel(client, "gpt-4o-mini")
            return await llmend.ask_async(model, "A trip.", TRIP, **more)

    return asyncio.run(later())


@pytest.mark.parametrize("kind", ["OpenAI", "AsyncOpenAI"])
def test_the_package_of_openai(kind):
    good = (200, completion('```json\n{"city": "Oslo", "days": 3,}\n```'))
    with Server(good) as server:
        answered = asked(server, kind)
    assert answered.value == {"city": "Oslo", "days": 3} and answered.ledger.usage.output == 7
    assert (server.requests[0]["path"], server.requests[0]["key"]) == ("/v1/chat/completions", "Bearer sk-test")
    # A server that has no schemas is asked for some JSON, in the same attempt.
    with Server((400, REFUSED_SCHEMA), (200, completion("{'city': 'Oslo'}")), good) as server:
        answered = asked(server, kind)
    forms = [request["response_format"]["type"] for request in server.requests]
    assert forms == ["json_schema", "json_object", "json_object"] and len(answered.ledger.attempts) == 2


@pytest.mark.parametrize("kind", ["OpenAI", "AsyncOpenAI"])
@pytest.mark.parametrize(
    ("status", "more", "code"),
    [
        (429, {}, "model/rate-limited"),
        (429, {"code": "insufficient_quota"}, "model/quota"),
        (401, {}, "model/authentication"),
        (404, {}, "model/not-found"),
        (400, {}, "model/request"),
        (503, {}, "model/server"),
    ],
)
def test_what_the_server_of_openai_refuses(kind, status, more, code):
    with Server((status, {"error": {"message": "no", **more}})) as server, pytest.raises(llmend.AskError) as caught:
        asked(server, kind)
    assert caught.value.code == code and len(server.requests) == 1


def test_a_server_that_is_not_there():
    server = Server()
    server.server.server_close()
    with pytest.raises(llmend.AskError) as caught:
        asked(server, "OpenAI")
    assert caught.value.code == "model/connection"


@pytest.mark.parametrize("asks", [llmend.ask, llmend.ask_async, llmend.Planner.run, llmend.Planner.run_async])
def test_help_lists_what_may_be_given_and_the_rest_is_refused(asks):
    told = ["on_attempt", "on_repair", "on_give_up"]
    if asks in [llmend.ask, llmend.ask_async]:
        told = ["options", "policy", "coerce", "rules", *told]
    shown = inspect.signature(asks).parameters
    assert [name for name, it in shown.items() if it.kind is it.KEYWORD_ONLY] == told
    assert all(shown[name].default is None and "None" in shown[name].annotation for name in told)
    assert not any(it.kind is it.VAR_KEYWORD for it in shown.values())
    planner = [llmend.Planner()] if asks in [llmend.Planner.run, llmend.Planner.run_async] else []
    asked = [*planner, lambda request: "{}", "What?", *([] if planner else [dict])]
    with pytest.raises(TypeError, match="on_atempt"):
        made = asks(*asked, on_atempt=print)
        asyncio.run(made)
