"""How is a column of answers repaired, whoever holds it?"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from llmend import _llmend
from llmend._answer import asked_schema
from llmend._llmend import ArrowArray, ArrowStream, Coercing, Options

if TYPE_CHECKING:
    from llmend._llmend import PolicyName, _ArrowArrayLike, _ArrowStreamLike

Repairing = Callable[[Any], Any]
"""What repairs a column: an array or chunked array of pyarrow, or what speaks its interface, to a chunked one."""


def repair_batch(
    texts: _ArrowArrayLike | _ArrowStreamLike,
    *,
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coercing: Coercing | None = None,
    threads: int = 1,
) -> ArrowArray | ArrowStream:
    """Each text of an array, or of a stream of arrays, repaired: the rows of an array, or a stream of them.

    `texts` and the result speak the Arrow PyCapsule interface, as arrays of pyarrow, Polars, DuckDB and
    nanoarrow do; texts are read where they stand. They may be strings or bytes in UTF-8, those of a
    dictionary, or all null. A row is a struct:

    - `value`: strict JSON, or null;
    - `status`: `unchanged`, `extracted`, `repaired`, `coerced` or `refused`;
    - `class`: how sure the value is, the gravest of all that was done;
    - `truncated`: whether the text was cut off;
    - `repairs`: a list of structs `rule`, `class`, `start`, `end`, `replacement`, in code points;
    - `error`: a struct `code`, `message`, `start`, `end`, if there is no value.

    The row of a null is null, and that of bytes that are not UTF-8 is refused. `schema` is all that `parse`
    takes; what does not fit it is refused. Of a pydantic type its JSON Schema is what is asked for: what only
    the type takes, such as a time without its zone, is refused, and validators that it does not say are not
    run. A result of one array has at most 2 GiB. `threads` is how many work on an array at once.

    A stream is worked on as it is read. Ctrl-C ends that with an error of whoever reads it, and
    `KeyboardInterrupt` follows.

    >>> import llmend
    >>> import pyarrow as pa
    >>> rows = pa.array(llmend.repair_batch(pa.array(["{'a': 1,}", "nothing"])))
    >>> rows.field("value").to_pylist(), rows[1]["error"]["code"].as_py()
    (['{"a": 1}', None], 'extract/no-json')
    """
    asked = None if schema is None else asked_schema(schema)
    return _llmend.repair_batch(
        texts, schema=asked, policy=policy, coercing=coercing, threads=threads
    )


def hear() -> None:
    """Nothing but a call, at which Python raises an interrupt that the reader of a stream took for an error."""


def repairing(
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coercing: Coercing | None = None,
    threads: int = 1,
) -> Repairing:
    """A function of columns that can be sent to a worker. `schema` is all that `parse` takes."""
    asked = None if schema is None else asked_schema(schema)

    def repaired(texts: Any) -> Any:
        import pyarrow as pa

        def rows(chunk: Any) -> Any:
            made: Any = _llmend.repair_batch(
                chunk, schema=asked, policy=policy, coercing=coercing, threads=threads
            )
            return pa.array(made)

        chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
        # One after the other, and not as a stream, whose reader would make an error of its own of Ctrl-C.
        return pa.chunked_array([rows(chunk) for chunk in chunks or [pa.array([], pa.string())]])

    return repaired
