/**
 * Makes `types/`, which a package carries and the repository does not: declarations from the JSDoc of the source, so that they
 * cannot differ from it, and below two of them what JSDoc cannot say (`ambient/`).
 */

import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, rmSync } from "node:fs";

rmSync("types", { recursive: true, force: true });
execFileSync("tsc", ["--project", "tsconfig.types.json"], { stdio: "inherit" });
for (const name of ["elements.d.ts", "react.d.ts"]) appendFileSync(`types/${name}`, readFileSync(`ambient/${name}`));
