"""Reading pieces that come from an iterator."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from llmend._answer import Text


def each_of(pieces: Any, read: Callable[[Text], list[Any]], end: Callable[[], list[Any]] = list) -> Any:
    """Gives what is read of each piece, and of the end."""
    return _async(pieces, read, end) if hasattr(pieces, "__aiter__") else _now(pieces, read, end)


def _now(pieces: Iterable[Text], read: Callable[[Text], list[Any]], end: Callable[[], list[Any]]) -> Iterator[Any]:
    for piece in pieces:
        yield from read(piece)
    yield from end()


async def _async(
    pieces: AsyncIterable[Text], read: Callable[[Text], list[Any]], end: Callable[[], list[Any]]
) -> AsyncIterator[Any]:
    iterator = aiter(pieces)
    try:
        async for piece in iterator:
            for made in read(piece):
                yield made
    finally:
        # An async generator is not closed when its last reference goes.
        for source in (iterator,) if iterator is pieces else (iterator, pieces):
            if hasattr(source, "aclose"):
                await source.aclose()
    for made in end():
        yield made
