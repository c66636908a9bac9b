"""Are the types complete, and those of the compiled module true?"""

import ast
import subprocess
import sys
from pathlib import Path

import llmend

PACKAGE = Path(llmend.__file__).parent
USE = Path(__file__).with_name("typed_use.py")


def run(*arguments: str) -> None:
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=USE.parents[1])
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_and_its_use_are_well_typed():
    run("mypy", "--strict", "--no-error-summary", str(USE))
    run("mypy", "--strict", "-p", "llmend")


def test_pyright_sees_the_same_types():
    run("pyright", "--pythonpath", sys.executable, str(USE))


def test_the_stubs_say_what_is_there(tmp_path):
    allowed = tmp_path / "allowed.txt"
    # Names of types that stubs use, and that are nothing at run time.
    allowed.write_text("llmend\\._llmend\\.(PolicyName|DialectName|FormatName|LayoutName|GapsName|FixesName|StrategyName)\n")
    config = tmp_path / "mypy.ini"
    # The stub uses nothing of the rest of the package, and that would bring all packages that llmend works with.
    config.write_text("[mypy]\nfollow_imports = skip\n")
    run("mypy.stubtest", "llmend._llmend", "--allowlist", str(allowed), "--mypy-config-file", str(config))


def test_the_stub_of_the_package_names_what_it_loads():
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    imported = {alias.name: part.module for part in stub.body if isinstance(part, ast.ImportFrom) for alias in part.names}
    stated = [ast.literal_eval(part.value) for part in stub.body if isinstance(part, ast.Assign)]
    assert imported == {name: f"llmend.{llmend._MODULES.get(name, '_llmend')}" for name in llmend.__all__}
    assert [set(names) for names in stated] == [set(llmend.__all__)]


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").exists()
