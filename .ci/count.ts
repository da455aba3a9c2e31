// .ci/count.ts: runs Vitest with progress and ends with one line that anything can count: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  const { numPassedTests, numFailedTests, numTotalTests, numFailedTestSuites } = JSON.parse(
    readFileSync(results, 'utf8'),
  );
  const skipped = numTotalTests - numPassedTests - numFailedTests;
  // A file that fails to load has no tests to count, yet something failed.
  const failed = numFailedTests + (numFailedTests === 0 && vitest.status !== 0 ? Math.max(1, numFailedTestSuites) : 0);
  console.log(`${numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = vitest.status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
