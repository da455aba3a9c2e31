// .ci/count.ts: runs Vitest with progress and ends with one line that anything can count: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numTotalTests: number;
  numFailedTestSuites: number;
  testResults: { name: string; message: string; assertionResults: Assertion[] }[];
}

interface Assertion {
  fullName: string;
  status: string;
  failureMessages: string[];
}

/** Of a message: what was expected stands at its start, what a command printed before it ended stands at its end. */
const MESSAGE_START = 300;
const MESSAGE_END = 500;

const folder = mkdtempSync(join(tmpdir(), 'headstart-test-'));
const results = join(folder, 'results.json');
try {
  const vitest = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...process.argv.slice(2),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${results}`,
    ],
    { stdio: 'inherit' },
  );
  const { numPassedTests, numFailedTests, numTotalTests, numFailedTestSuites, testResults } = JSON.parse(
    readFileSync(results, 'utf8'),
  ) as Results;
  const skipped = numTotalTests - numPassedTests - numFailedTests;
  // A file that fails to load has no tests to count, yet something failed.
  const failed = numFailedTests + (numFailedTests === 0 && vitest.status !== 0 ? Math.max(1, numFailedTestSuites) : 0);
  for (const line of whatFailed(testResults)) console.log(line);
  console.log(`${numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = vitest.status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Said once more at the very end: often the last lines are all that is kept of a log. */
function* whatFailed(files: Results['testResults']): Generator<string> {
  for (const { name, message, assertionResults } of files) {
    if (message) yield `FAILED ${name}: ${shortened(message)}`;
    for (const { fullName, status, failureMessages } of assertionResults) {
      if (status === 'failed') yield `FAILED ${fullName}: ${shortened(failureMessages.join('\n'))}`;
    }
  }
}

function shortened(message: string): string {
  const said = message.replace(/^\s+at .*$\n?/gm, '').trim();
  if (said.length <= MESSAGE_START + MESSAGE_END) return said;
  return `${said.slice(0, MESSAGE_START)} … ${said.slice(-MESSAGE_END)}`;
}
