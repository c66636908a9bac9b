"""The `llmend` command, which the extra `llmend[cli]` installs: `python -m llmend repair answer.txt`."""

import os
import subprocess
import sys
import sysconfig


def main() -> int:
    """Runs the command with the arguments of the process and returns its exit status."""
    path = command()
    if path is None:
        print("llmend: the command is not installed; run: pip install 'llmend[cli]'", file=sys.stderr)
        return 127
    arguments = [path, *sys.argv[1:]]
    if sys.platform == "win32":
        # A process cannot take the place of another there.
        return subprocess.call(arguments)
    os.execv(path, arguments)


def command() -> str | None:
    """Returns the path of the command that is installed beside this package; `None` if there is none."""
    name = "llmend.exe" if sys.platform == "win32" else "llmend"
    user = sysconfig.get_preferred_scheme("user")
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=user)]
    # `pip install --target` puts scripts beside packages.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    paths = (os.path.join(folder, name) for folder in folders)
    return next(filter(os.path.isfile, paths), None)


if __name__ == "__main__":
    sys.exit(main())
