"""Times baml-py on one JSON string a line: {"ok": bool, "out": text, "seconds": float}.

The types are those of the bench `schema`. The time is that of the parse alone, after warming up, in this
process: the best of some runs, without Python's start and without the pipe. What counts is the time on the
processor, as for llmend.
"""
import json
import sys
import time
from enum import Enum
from typing import List, Optional

import baml_py
from pydantic import BaseModel

TYPES = '''
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}

enum Kind {
  Tool
  Condition
  Loop
}

class Step {
  id int
  name string
  kind Kind
  cost float
  optional bool
  tags string[]
  notes string
  owner string?
}

class Answer {
  title string
  steps Step[]
}

function Read(text: string) -> Answer {
  client Nobody
  prompt #"
    {{ text }}
    {{ ctx.output_format }}
  "#
}
'''


class Kind(str, Enum):
    Tool = "Tool"
    Condition = "Condition"
    Loop = "Loop"


class Step(BaseModel):
    id: int
    name: str
    kind: Kind
    cost: float
    optional: bool
    tags: List[str]
    notes: str
    owner: Optional[str] = None


class Answer(BaseModel):
    title: str
    steps: List[Step]


# Where the peer looks for the classes by name.
HERE = sys.modules[__name__]
# Enough runs to trust the best, within a time that a bench may take.
RUNS, PATIENCE = 7, 4.0

runtime = baml_py.BamlRuntime.from_files(".", {"main.baml": TYPES}, {})
context = runtime.create_context_manager()


def read(text):
    return runtime.parse_llm_response(
        "Read", text, HERE, HERE, HERE, False, context, None, None, {}
    )


for line in sys.stdin:
    try:
        text = json.loads(line)
        answer = read(text)
        best, began = float("inf"), time.process_time()
        for run in range(RUNS):
            start = time.process_time()
            read(text)
            best = min(best, time.process_time() - start)
            if run >= 1 and time.process_time() - began > PATIENCE:
                break
        row = {"ok": True, "out": answer.model_dump_json(), "seconds": best}
    except Exception as error:  # noqa: BLE001
        row = {"ok": False, "out": str(error).split("\n", 1)[0], "seconds": 0.0}
    print(json.dumps(row), flush=True)
