"""Instructor over OpenAI's SDK: its modes for JSON and for tools, several calls at once, and its stream."""

from collections.abc import Iterable

import instructor
import openai
from scenarios import KEY, PROMPT, TELL_SCHEMA, Trip, run

MESSAGES = [{"role": "user", "content": PROMPT}]
# One answer is to be shown, and not how Instructor asks again for a better one.
ONCE = {"max_retries": 0}


def client(url, mode):
    return instructor.from_openai(openai.OpenAI(base_url=f"{url}/v1", api_key=KEY), mode=mode)


def create(mode, **more):
    def ask(url, model):
        return client(url, mode).create(
            model=model, messages=MESSAGES, response_model=Trip, **ONCE, **more
        )

    return ask


def parallel(url, model):
    asked = client(url, instructor.Mode.PARALLEL_TOOLS)
    return list(
        asked.create(model=model, messages=MESSAGES, response_model=Iterable[Trip], **ONCE)
    )


def partial(mode):
    def ask(url, model):
        last = None
        for last in client(url, mode).create_partial(
            model=model, messages=MESSAGES, response_model=Trip, **ONCE
        ):
            pass
        return last

    return ask


run(
    "instructor",
    {
        "JSON_SCHEMA": ("content", create(instructor.Mode.JSON_SCHEMA)),
        "JSON": ("json", create(instructor.Mode.JSON)),
        "JSON, partial": ("json", partial(instructor.Mode.JSON)),
        "JSON, schema told": ("content", create(instructor.Mode.JSON, extra_headers=TELL_SCHEMA)),
        "TOOLS": ("call", create(instructor.Mode.TOOLS)),
        "TOOLS, partial": ("call", partial(instructor.Mode.TOOLS)),
        "PARALLEL_TOOLS": ("calls", parallel),
    },
)
