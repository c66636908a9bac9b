"""Repair of columns of answers, over Arrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from llmend import _llmend
from llmend._answer import asked_schema
from llmend._llmend import ArrowArray, ArrowStream, CoerceOptions, Options

if TYPE_CHECKING:
    from llmend._llmend import PolicyName, _ArrowArrayLike, _ArrowStreamLike

Repairer = Callable[[Any], Any]
"""Repairs a column: maps an Arrow array or chunked array to a chunked array."""


def repair_batch(
    texts: _ArrowArrayLike | _ArrowStreamLike,
    *,
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    threads: int = 1,
) -> ArrowArray | ArrowStream:
    """Repairs each text of an array, or of a stream of arrays.

    `texts` and the result implement the Arrow PyCapsule interface, as arrays of pyarrow, Polars, DuckDB and
    nanoarrow do; texts are not copied. They may be strings, bytes in UTF-8, dictionary-encoded, or all
    null. The result has one struct per text:

    - `value`: strict JSON, or null;
    - `status`: `unchanged`, `extracted`, `repaired`, `coerced` or `refused`;
    - `class`: the worst class of all repairs and coercions;
    - `truncated`: whether the text was truncated;
    - `repairs`: a list of structs `rule`, `class`, `start`, `end`, `replacement`, in code points;
    - `error`: a struct `code`, `message`, `start`, `end`, if there is no value.

    A null stays null, and bytes that are not UTF-8 are refused. `schema` is anything that `parse` accepts;
    values that do not fit are refused. For a pydantic type, only its JSON Schema applies: values that only
    the type would accept, such as a set with an item twice, are refused, and custom validators do not run. The
    result for one array is limited to 2 GiB. `threads` is the number of threads per array.

    The result has this type, whatever type its reader requests: cast what was read, as in `pa.array(rows).cast(type)`.

    A stream is processed lazily. Ctrl-C makes its reader fail, and `KeyboardInterrupt` follows.

    >>> import llmend
    >>> import pyarrow as pa
    >>> rows = pa.array(llmend.repair_batch(pa.array(["{'a': 1,}", "nothing"])))
    >>> rows.field("value").to_pylist(), rows[1]["error"]["code"].as_py()
    (['{"a": 1}', None], 'extract/no-json')
    """
    asked = None if schema is None else asked_schema(schema)
    return _llmend.repair_batch(
        texts, schema=asked, policy=policy, coerce=coerce, threads=threads
    )


def hear() -> None:
    """Does nothing, but lets Python raise a pending interrupt that the reader of a stream reported as an error."""


def repairer(
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    threads: int = 1,
) -> Repairer:
    """Returns a picklable function that repairs columns. `schema` is anything that `parse` accepts."""
    _llmend.check_options(policy=policy, coerce=coerce)
    asked = None if schema is None else asked_schema(schema)

    def repaired(texts: Any) -> Any:
        import pyarrow as pa

        def rows(chunk: Any) -> Any:
            made: Any = _llmend.repair_batch(
                chunk, schema=asked, policy=policy, coerce=coerce, threads=threads
            )
            return pa.array(made)

        chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
        # Chunks are repaired one by one: the reader of a stream would turn Ctrl-C into an error of its own.
        return pa.chunked_array([rows(chunk) for chunk in chunks or [pa.array([], pa.string())]])

    return repaired
