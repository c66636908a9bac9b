"""How is a column of answers repaired, whoever holds it?"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from llmend._answer import target
from llmend._llmend import Coercing, Options, Schema, repair_batch

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

Repairing = Callable[[Any], Any]
"""What repairs a column: an array or chunked array of pyarrow, or what speaks its interface, to a chunked one."""


@lru_cache(maxsize=64)
def schema_of(text: str) -> Schema:
    """The schema that `text` says, compiled once in a process: what a worker that is sent one gets."""
    return Schema(text)


def repairing(
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coercing: Coercing | None = None,
    threads: int = 1,
) -> Repairing:
    """A function of columns that can be sent to a worker. `schema` is all that `parse` takes."""
    asked = None if schema is None else target(schema)[0]

    def repaired(texts: Any) -> Any:
        import pyarrow as pa

        if not isinstance(texts, pa.ChunkedArray):
            texts = pa.chunked_array([texts])
        made = repair_batch(
            texts, schema=asked, policy=policy, coercing=coercing, threads=threads
        )
        return pa.chunked_array(made)

    return repaired
