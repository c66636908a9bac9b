"""Repair of answers in Ray: `pip install 'llmend[ray]'`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from llmend._batch import repairer
from llmend._llmend import CoerceOptions, Options

if TYPE_CHECKING:
    import ray.data

    from llmend._llmend import PolicyName


def repair(
    dataset: ray.data.Dataset,
    column: str,
    *,
    into: str = "repaired",
    schema: Any = None,
    policy: PolicyName | Options | None = None,
    coerce: CoerceOptions | None = None,
    **map_batches: Any,
) -> ray.data.Dataset:
    """Adds a column `into` with the rows of `llmend.repair_batch` for `column`.

    `schema` is anything that `llmend.parse` accepts; `map_batches` is passed to `Dataset.map_batches`. Raises
    `ValueError` when the dataset is read, if it already has a column `into`.
    """
    repaired = repairer(schema, policy, coerce)

    def add(batch: pa.Table) -> pa.Table:
        if into in batch.column_names:
            raise ValueError(f"the dataset already has a column {into!r}; choose another name with `into`")
        return batch.append_column(into, repaired(batch[column]))

    return dataset.map_batches(add, batch_format="pyarrow", **map_batches)
