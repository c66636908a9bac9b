"""The command `json_repair`, as `python -m llmend.json_repair`."""

import sys

from llmend.json_repair import cli

sys.exit(cli())
