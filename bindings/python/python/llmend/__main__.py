"""The `llmend` command: `python -m llmend repair answer.txt`."""

import signal
import sys

from llmend import _llmend


def main() -> int:
    """Runs the command with the arguments of the process and returns its exit status."""
    # The command is native code, so Ctrl-C has to end it by the default handler.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _llmend.run(["llmend", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
