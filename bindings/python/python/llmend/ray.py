"""Answers in Ray: `pip install 'llmend[ray]'`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from llmend._batch import repairing
from llmend._llmend import Coercing, Options

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
    coercing: Coercing | None = None,
    **map_batches: Any,
) -> ray.data.Dataset:
    """The dataset with a column `into` more, which has what `llmend.repair_batch` gives for `column`.

    `schema` is all that `llmend.parse` takes, and `map_batches` goes to `Dataset.map_batches`. A dataset
    that has a column `into` already is a `ValueError`, once it is read.
    """
    repaired = repairing(schema, policy, coercing)

    def add(batch: pa.Table) -> pa.Table:
        if into in batch.column_names:
            raise ValueError(f"the dataset has a column {into!r} already: name another with `into`")
        return batch.append_column(into, repaired(batch[column]))

    return dataset.map_batches(add, batch_format="pyarrow", **map_batches)
