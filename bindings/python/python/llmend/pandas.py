"""Repair of answers in pandas: `pip install 'llmend[pandas]'`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from llmend._batch import repairer
from llmend._llmend import CoerceOptions, Options

if TYPE_CHECKING:
    from llmend._llmend import PolicyName

# Rows per batch: a result is limited to 2 GiB.
_ROWS = 65_536


def repair(
    answers: pd.Series[Any],
    *,
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    threads: int = 1,
) -> pd.DataFrame:
    """Repairs each answer of a series. Returns a frame with the same index and the columns `value`, `status`,
    `class`, `truncated`, `repairs` and `error`. See `llmend.repair_batch`.

    >>> import pandas as pd
    >>> repair(pd.Series(["{'a': 1}", "nothing"]))["status"].tolist()
    ['repaired', 'refused']
    """
    texts = _texts(answers)
    parts = [texts.slice(start, _ROWS) for start in range(0, len(texts), _ROWS)]
    made = repairer(schema, policy, coerce, threads)(pa.chunked_array(parts, texts.type))
    batches = [pa.RecordBatch.from_struct_array(chunk) for chunk in made.chunks]
    names = [field.name for field in made.type]
    table = pa.Table.from_batches(batches, pa.schema(list(made.type)))
    frame: pd.DataFrame = table.to_pandas()
    return frame.set_axis(answers.index)[names]


def _texts(answers: pd.Series[Any]) -> pa.Array:
    """Converts the answers to an Arrow array."""
    if answers.isna().all():
        # pandas types an empty or all-null series as numbers.
        return pa.nulls(len(answers))
    if isinstance(answers.dtype, pd.CategoricalDtype):
        answers = answers.astype(object)
    try:
        return pa.array(answers, pa.large_string(), from_pandas=True)
    except (UnicodeEncodeError, pa.ArrowInvalid):
        # Bytes that are not UTF-8, or an unpaired surrogate: only that row is refused.
        told = answers.map(_bytes, na_action="ignore")
        return pa.array(told, pa.large_binary(), from_pandas=True)


def _bytes(text: Any) -> Any:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
