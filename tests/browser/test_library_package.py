"""The browser library as its users get it: packed, installed into a project of theirs, and used there."""

import json
import re
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.node_tools import INSTALLS, ROOT, WEB, packed, program, project_with, run
from tests.browser.service import Service
from tests.browser.transcript_page import turn_end, turn_with_tool

pytestmark = INSTALLS

MANIFEST = json.loads((WEB / "package.json").read_text(encoding="utf-8"))

# What a user writes; each line that must not compile is marked.
TYPED = """
import {
  Connection, NOTHING_CHOSEN, ServiceClient, TranscriptFollower, mayReconnect, reduce,
  type Row, type TranscriptSnapshot, type TurnValue,
} from "turnfold-web";
import { TurnfoldTranscript } from "turnfold-web/elements";
import { useSessions, useTranscript } from "turnfold-web/react";

const service = new ServiceClient("https://turnfold.example/", { token: async () => "t" });
const follower = new TranscriptFollower(service, "s1", { locale: "zh-CN" });
const stop: () => void = follower.subscribe(() => {
  const snapshot: TranscriptSnapshot = follower.getSnapshot();
  const turn: TurnValue | undefined = snapshot.turns[0];
  const rows: readonly Row[] = turn?.rows ?? [];
  console.log(rows.map((row) => row.key), snapshot.link.name === "waiting" && snapshot.link.untilMs);
});
stop();
const element: TurnfoldTranscript = document.createElement("turnfold-transcript");
element.session = "s1";
element.ticket = () => fetch("/ticket").then((answer) => answer.text());
document.querySelector("turnfold-sessions")?.addEventListener("turnfold-choose", (event) => {
  const session: string = event.detail.session;
  console.log(session);
});
export function View() {
  const { turns, loadEarlier } = useTranscript(service, "s1", { locale: "en", view: "desktop" });
  const sessions = useSessions(service);
  return (
    <main onClick={() => loadEarlier()}>
      {turns.length} of {sessions?.length}
      <turnfold-transcript service={service} session="s1" view="desktop" mode="normal" className="wide" />
    </main>
  );
}
reduce(NOTHING_CHOSEN, { type: "forget", session: "s1" });
new Connection("wss://turnfold.example/v1/ws", { onOpen() {}, onFrame() {}, onLink() {} }).close();
const again: boolean = mayReconnect(4000);
console.log(again);
// @ts-expect-error a session is a text
element.session = 1;
// @ts-expect-error there is no such mode
element.mode = "folded";
// @ts-expect-error nobody changes a snapshot
follower.getSnapshot().turns.push();
// @ts-expect-error there is no such action
reduce(NOTHING_CHOSEN, { type: "web/opne", session: "s1" });
// @ts-expect-error there is no such attribute
export const wrong = <turnfold-transcript sesion="s1" />;
"""

FOLLOWS = """
import { ServiceClient, TranscriptFollower } from "turnfold-web";
const service = new ServiceClient(process.argv[2]);
const follower = new TranscriptFollower(service, "node-1");
const stop = follower.subscribe(() => {
  const { turns } = follower.getSnapshot();
  if (turns[0]?.status !== "closed") return;
  console.log(turns[0].presentation.label.text);
  stop();
});
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's project with the package installed, and React and its types beside it."""
    directory = tmp_path_factory.mktemp("library")
    return project_with(packed(directory), directory / "project", by_npm=True)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that the project's programs follow."""
    running = Service(tmp_path_factory.mktemp("service"))
    running.start()
    yield running
    running.stop()


def test_the_manifest_is_ready_to_publish() -> None:
    """Everything that a registry and a bundler ask for, and nothing that ties it to one place."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert MANIFEST["version"] == project["version"], "library and service are released together"
    assert MANIFEST["license"] == project["license"]
    assert (WEB / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert MANIFEST.keys() >= {"name", "description", "type", "exports", "files", "sideEffects", "engines"}
    assert MANIFEST.keys().isdisjoint({"private", "publishConfig", "repository", "homepage", "dependencies"})
    assert MANIFEST["peerDependenciesMeta"] == {"react": {"optional": True}}


def test_the_package_holds_what_is_exported_and_no_more(project: Path) -> None:
    """Sources, styles, types, licence and a page to read; no test, no page of ours, no tool."""
    installed = project / "node_modules" / "turnfold-web"
    names = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    tops = {name.split("/")[0] for name in names}
    assert tops == {"LICENSE", "README.md", "package.json", "src", "styles", "types"}
    assert names.isdisjoint({"src/page.js", "styles/page.css"})
    targets = [target for entry in MANIFEST["exports"].values() for target in _targets(entry)]
    assert {target.removeprefix("./") for target in targets if "*" not in target} <= names
    with tarfile.open(next(project.parent.glob("*.tgz"))) as tar:
        assert all(member.isfile() for member in tar.getmembers())


def _targets(entry: str | dict[str, str]) -> list[str]:
    return [entry] if isinstance(entry, str) else list(entry.values())


def test_no_module_of_the_package_leads_out_of_it(project: Path) -> None:
    """What is imported is shipped; `react.js` alone imports something else, and that is React."""
    installed = project / "node_modules" / "turnfold-web"
    for path in [*installed.glob("src/**/*.js"), *installed.glob("types/**/*.d.ts")]:
        for name in re.findall(r'(?:from|import\()\s*"([^"]+)"', path.read_text(encoding="utf-8")):
            if not name.startswith("."):
                assert (path.name.split(".")[0], name) == ("react", "react")
                continue
            target = path.parent / name
            if path.suffix == ".ts":
                target = target.with_suffix(".d.ts")
            assert target.is_file(), (path.name, name)


def test_a_typescript_project_compiles_against_it(project: Path) -> None:
    """Strictly, and with the libraries' own types checked; what is wrong does not compile."""
    (project / "use.tsx").write_text(TYPED)
    options = {
        "strict": True,
        "noEmit": True,
        "module": "nodenext",
        "target": "es2022",
        "jsx": "react-jsx",
        "lib": ["es2024", "dom"],
        "types": [],
    }
    asked = {"compilerOptions": options, "files": ["use.tsx"]}
    (project / "tsconfig.json").write_text(json.dumps(asked))
    run("tsc", "--project", "tsconfig.json", cwd=project)


def test_a_project_without_react_needs_none(project: Path) -> None:
    """The entry and the elements name it nowhere."""
    installed = project / "node_modules" / "turnfold-web" / "types"
    reached, waiting = set[Path](), [installed / "index.d.ts", installed / "elements.d.ts"]
    while waiting:
        path = waiting.pop()
        reached.add(path)
        found = re.findall(r'(?:from |import\()"(\.[^"]+)\.js"', path.read_text(encoding="utf-8"))
        waiting += [one for name in found if (one := (path.parent / f"{name}.d.ts").resolve()) not in reached]
    assert len(reached) > 10
    assert not any('"react"' in path.read_text(encoding="utf-8") for path in reached)


def test_node_follows_a_session_with_it(project: Path, service: Service) -> None:
    """Outside of a browser: connection and store, and the program ends by itself once it stops following."""
    service.append("node-1", *turn_with_tool(), turn_end())
    (project / "follow.js").write_text(FOLLOWS)
    node = program("node")
    said = run(node, "--experimental-websocket", "--no-warnings", "follow.js", service.address, cwd=project)
    assert said == "1 tool call · 1 message\n"


def test_importing_it_in_node_does_nothing(project: Path) -> None:
    """A server may import the entry, and the React binding for a first render."""
    check = "await import('turnfold-web'); await import('turnfold-web/react'); console.log('ended')"
    assert run(program("node"), "--input-type=module", "-e", check, cwd=project) == "ended\n"


SHIPPED = [*WEB.glob("src/**/*.js"), *WEB.glob("styles/*.css"), WEB / "index.html", WEB / "icon.svg"]
# The name of a namespace, and an address in a comment, of a domain that leads nowhere.
NAMES = {"http://www.w3.org/2000/svg", "https://example.org/turnfold/"}
SPYING = ("sendBeacon", "document.cookie", "indexedDB", "userAgent", "new Image", "importScripts", "eval(")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_nothing_remote_and_no_tracking(path: Path) -> None:
    """What is shipped names no place of the network: it speaks to the service that it is given, and to nobody else."""
    text = path.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:https?|wss?)://[\w.-]+[^\s\"'`)]*", text)) <= NAMES
    assert [word for word in SPYING if word in text] == []
    assert [
        url for url in re.findall(r"url\([\"']?([^\"')]+)", text) if not (WEB / "styles" / url).is_file()
    ] == []


def test_every_style_sheet_of_the_elements_is_imported() -> None:
    """Who links `turnfold.css` has all of them; `page.css` is the reference page's own."""
    whole = (WEB / "styles" / "turnfold.css").read_text(encoding="utf-8")
    linked = set(re.findall(r"styles/([\w-]+\.css)", (WEB / "index.html").read_text(encoding="utf-8")))
    ours = {path.name for path in WEB.glob("styles/*.css")} - linked - {"turnfold.css"}
    assert ours
    assert set(re.findall(r'@import url\("([^"]+)"\)', whole)) == ours
