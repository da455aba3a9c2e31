// e2e/image-sbom.test.ts: does the SBOM match the image: dpkg's list, and the bytes of its files, read from the disk without a boot?
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { officialSchema } from '../src/image/report/cyclonedx.testing.ts';
import { checkSbom, pathsIn } from '../src/image/report/sbom-check.ts';
import { ensureImage } from './programs/ensure-image.ts';

const LONG_MS = 60 * 60_000;
const scratch = mkdtempSync(join(tmpdir(), 'headstart-image-sbom-'));
let folder: string;
let sbom: string;
/** The root file system in debugfs's syntax: the disk and the offset. */
let root: string;

beforeAll(async () => {
  ({ folder } = await ensureImage());
  sbom = readFileSync(join(folder, 'sbom.cdx.json'), 'utf8');
  const raw = join(scratch, 'disk.raw');
  execFileSync('qemu-img', ['convert', '-f', 'qcow2', '-O', 'raw', join(folder, 'disk.qcow2'), raw]);
  const table = JSON.parse(execFileSync('sfdisk', ['--json', raw], { encoding: 'utf8' })) as {
    partitiontable: { sectorsize: number; partitions: { start: number }[] };
  };
  const { sectorsize, partitions } = table.partitiontable;
  root = `${raw}?offset=${partitions.at(-1)!.start * sectorsize}`;
}, LONG_MS);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Empty if there is no such file. */
function readInside(path: string): Buffer {
  return execFileSync('debugfs', ['-R', `cat "${path}"`, root], {
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

describe('the SBOM of a built image', { timeout: LONG_MS }, () => {
  it('is valid by the official schema', () => {
    const isValid = officialSchema();
    expect(isValid(JSON.parse(sbom)), JSON.stringify(isValid.errors)).toBe(true);
  });

  it('matches dpkg and the file system of the image exactly', () => {
    const files = new Map(
      pathsIn(sbom).map((path) => [path, createHash('sha256').update(readInside(path)).digest('hex')]),
    );
    expect(files.size).toBeGreaterThan(2);
    expect(checkSbom(sbom, { dpkgStatus: readInside('/var/lib/dpkg/status').toString(), files })).toEqual([]);
  });

  it('differs if a package is added or missing, or if a byte changes', () => {
    const status = readInside('/var/lib/dpkg/status').toString();
    const one = status.replace(/^Version: /m, 'Version: 9');
    const differences = checkSbom(sbom, { dpkgStatus: one, files: new Map() });
    expect(differences.filter(({ what }) => what.startsWith('package '))).toHaveLength(1);
    expect(differences.filter(({ what }) => what.startsWith('file '))).toHaveLength(pathsIn(sbom).length);
  });
});
