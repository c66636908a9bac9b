"""Repair of answers in pandas: `pip install 'llmend[pandas]'`.

Importing this module also gives every series the accessor `llmend`.

>>> import pandas as pd
>>> answers = pd.Series(["{'a': '1',}", "nothing"])
>>> answers.llmend.repair()["status"].tolist()
['repaired', 'refused']
>>> answers.llmend.parse({"properties": {"a": {"type": "integer"}}}).tolist()
[{'a': 1}, None]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa

from llmend._answer import parsed_or_none, target
from llmend._batch import repairer
from llmend._llmend import CoerceOptions, Options
from llmend._repairs import Unsure, is_accepted

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
    `class`, `truncated`, `repairs` and `error`; places in `error` are `int`, or `None`. See `llmend.repair_batch`.

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
    # Else pandas would hold a column of integers as floats where one of them is null.
    frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    return frame.set_axis(answers.index)[names]


def parse(
    answers: pd.Series[Any],
    type: Any = True,
    *,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    unsure: Unsure = "reject",
    threads: int = 1,
) -> pd.Series[Any]:
    """Parses each answer of a series into `type`, which is anything that `llmend.parse` accepts. Returns a series of
    objects with the same index: `None` for what has no such value and, unless `unsure="accept"`, for what may be
    incomplete. `repair` says why. Unlike with `llmend.parse`, the value has to fit the JSON Schema of `type`, too: a set with
    an item twice, which the type alone would accept, is `None`.

    >>> import pandas as pd
    >>> parse(pd.Series(["[1, 2,]", "[1, 2", "nothing"]), list[float]).tolist()
    [[1.0, 2.0], None, None]
    """
    accepts = is_accepted(unsure)
    rows = repair(answers, schema=target(type)[0], policy=policy, coerce=coerce, threads=threads)
    is_sure = accepts | ~(rows["truncated"].eq(True) | rows["class"].eq("loss"))
    values = parsed_or_none(rows["value"].where(is_sure, None), type)
    return pd.Series(values, answers.index, dtype=object, name=answers.name)


@pd.api.extensions.register_series_accessor("llmend")
class Accessor:
    """The accessor `llmend` of a series of answers."""

    def __init__(self, answers: pd.Series[Any]) -> None:
        self._answers = answers

    def repair(
        self,
        *,
        schema: Any = None,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        threads: int = 1,
    ) -> pd.DataFrame:
        """Repairs each answer: `llmend.pandas.repair`."""
        return repair(self._answers, schema=schema, policy=policy, coerce=coerce, threads=threads)

    def parse(
        self,
        type: Any = True,
        *,
        policy: PolicyName | Options | None = None,
        coerce: CoerceOptions | None = None,
        unsure: Unsure = "reject",
        threads: int = 1,
    ) -> pd.Series[Any]:
        """Parses each answer: `llmend.pandas.parse`."""
        return parse(self._answers, type, policy=policy, coerce=coerce, unsure=unsure, threads=threads)


def _texts(answers: pd.Series[Any]) -> pa.Array:
    """Converts the answers to an Arrow array. Raises `TypeError`, which names the row, for what is no text."""
    if answers.isna().all():
        # pandas types an empty or all-null series as numbers.
        return pa.nulls(len(answers))
    if isinstance(answers.dtype, pd.CategoricalDtype):
        answers = answers.astype(object)
    try:
        return pa.array(answers, pa.large_string(), from_pandas=True)
    except (UnicodeEncodeError, pa.ArrowInvalid, pa.ArrowTypeError):
        for row, text in answers.dropna().items():
            if not isinstance(text, (str, bytes, bytearray)):
                raise TypeError(f"expected str or bytes, found {type(text).__name__} in row {row!r}") from None
        # Bytes that are not UTF-8, or an unpaired surrogate: only that row is refused.
        told = answers.map(_bytes, na_action="ignore")
        return pa.array(told, pa.large_binary(), from_pandas=True)


def _bytes(text: Any) -> Any:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
