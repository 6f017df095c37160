"""The browser library's types: every module is checked; what a user's compiler reads is made of the same source."""

import json
from pathlib import Path

from tests.browser.node_tools import CLIENTS, INSTALLS, WEB, install_tools, program, run

pytestmark = INSTALLS
STRICT = {"strict": True, "checkJs": True, "noUnusedLocals": True}


def test_every_module_is_checked_strictly() -> None:
    """`tsc --checkJs --strict` over all of `src`: no module is left out, and a wrong type is found."""
    install_tools()
    asked = json.loads((WEB / "tsconfig.json").read_text(encoding="utf-8"))
    assert asked["compilerOptions"].items() >= STRICT.items()
    assert asked["include"] == ["src/**/*.js"]
    run("tsc", "--project", "tsconfig.json", cwd=WEB)
    looked_at = run("tsc", "--project", "tsconfig.json", "--listFilesOnly", cwd=WEB).splitlines()
    assert set(WEB.glob("src/**/*.js")) <= {Path(line) for line in looked_at}


def test_no_type_check_is_switched_off() -> None:
    """A complaint is answered, not silenced."""
    silenced = [
        path.name
        for path in WEB.glob("src/**/*.js")
        if any(
            word in path.read_text(encoding="utf-8") for word in ("@ts-ignore", "@ts-nocheck", "@ts-expect")
        )
    ]
    assert silenced == []


def test_tools_come_with_exact_versions_and_hashes() -> None:
    """What checks the library is what was locked, wherever it comes from."""
    wanted = json.loads((CLIENTS / "package.json").read_text(encoding="utf-8"))
    assert all(version[0].isdigit() for version in wanted["devDependencies"].values())
    lock = json.loads((CLIENTS / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert packages
    assert [name for name, one in packages.items() if "integrity" not in one or "resolved" in one] == []
    assert program("node")
