// .ci/require-node.ts: is this Node.js new enough for the tests? Under an old one Vitest starts, then fails at functions that it lacks.
const NEEDED = 24;

export function requireNode(): void {
  const { version, execPath } = process;
  if (Number(version.slice(1).split('.')[0]) >= NEEDED) return;
  console.error(`error: the tests need Node.js ${NEEDED} or newer, and ${execPath} is ${version}`);
  console.error(
    'next:  run `npm test` or `make test`, or put node_modules/.bin first on PATH, which has the pinned one',
  );
  process.exit(2);
}
