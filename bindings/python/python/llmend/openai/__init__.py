"""A client of the package openai that repairs what it returns: `pip install 'llmend[openai]'`."""

from __future__ import annotations

from llmend._repairs import missing

try:
    from llmend.openai._client import repairing
except ImportError as error:
    raise missing(__name__, "openai", "openai", error) from error

__all__ = ["repairing"]
