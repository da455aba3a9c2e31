// cluster/local/programs/go-tool.ts: is there a Go that can build Kubernetes, and where is its build cache? Pure.
import type { CommandResult } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';

export interface GoTool {
  /** `go1.26.8` */
  version: string;
  cache: string;
}

/** The highest Go version that a go.mod of the programs requires. */
const NEEDED = { major: 1, minor: 26 };

/** From the output of `go env -json GOVERSION GOCACHE`. */
export function requireGo(ran: CommandResult): GoTool {
  if (ran.outcome !== 'exited' || ran.code !== 0) throw noGo('there is no Go to build Kubernetes with');
  const found = parseGoEnvironment(ran.stdout.toString());
  if (!found) throw noGo('the program go does not report its version');
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(found.version) ?? [];
  // A development version (`devel …`) is accepted.
  const isOld = major !== undefined && (Number(major) - NEEDED.major || Number(minor) - NEEDED.minor) < 0;
  if (isOld) throw noGo(`Go ${found.version.slice(2)} is too old to build Kubernetes`);
  return found;
}

export function parseGoEnvironment(text: string): GoTool | undefined {
  try {
    const { GOVERSION, GOCACHE } = JSON.parse(text) as Record<string, unknown>;
    return typeof GOVERSION === 'string' && typeof GOCACHE === 'string' && GOCACHE !== ''
      ? { version: GOVERSION, cache: GOCACHE }
      : undefined;
  } catch {
    return undefined;
  }
}

function noGo(message: string): UserError {
  return new UserError(message, {
    code: 'cluster/no-go',
    kept: 'Nothing was built.',
    next: `install Go ${NEEDED.major}.${NEEDED.minor} or newer, or give a folder with the programs: --programs DIR`,
    exitCode: 1,
  });
}
