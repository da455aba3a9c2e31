// e2e/labs/node-lab.ts: the node image of e2e: the base image with the node's files, built once per content.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireTools, toolsOf } from '../../src/host/required-tools.ts';
import { runTool } from '../../src/host/run-tool.ts';
import { removeAtomically } from '../../src/host/whole-folders.ts';
import { type DiskFile, putFiles } from '../../src/image/build/disk/put-files.ts';
import { ensureExecutable } from '../../src/node/build/build.ts';
import {
  parseVersionId,
  type VersionId,
  versionFileNames,
  versionFolder,
  versionId,
} from '../../src/vms/qemu/home/layout.ts';
import { versionUsers } from '../../src/vms/qemu/home/references.ts';
import { readVersionRecord, versionNamesIn } from '../../src/vms/qemu/home/version-records.ts';
import { type PublishDeps, publishVersion } from '../../src/vms/qemu/images/make-version.ts';
import { ensureBaseImage } from '../programs/ensure-base.ts';
import { nodeImageFiles } from './node-image-files.ts';

const GALLERY = 'headstart';
const DEFINITION = 'node';
const TOOLS = toolsOf('debugfs', 'e2fsck');

export async function ensureNodeImage(
  tell: (line: string) => void = console.error,
): Promise<PublishDeps & { imageId: string }> {
  const { imageId: baseId, ...deps } = await ensureBaseImage(tell);
  requireTools(TOOLS, {
    path: process.env.PATH,
    isRoot: process.getuid?.() === 0,
    code: 'e2e/missing-programs',
  });
  const { path: executable } = await ensureExecutable();
  const files = nodeImageFiles(executable);
  const id: VersionId = { gallery: GALLERY, definition: DEFINITION, version: versionOf(baseId, files) };
  if (!readVersionRecord(deps.home, id)) {
    tell('building the node image from the base image');
    await make(id, parseVersionId(baseId)!, files, deps);
    await removeOthers(id, deps.home);
  }
  return { ...deps, imageId: versionId(id) };
}

async function make(id: VersionId, baseId: VersionId, files: readonly DiskFile[], deps: PublishDeps): Promise<void> {
  const base = versionFolder(deps.home, baseId);
  const folder = mkdtempSync(join(tmpdir(), 'headstart-node-image-'));
  try {
    const [raw, disk] = [join(folder, 'disk.raw'), join(folder, 'disk.qcow2')];
    await runTool(deps.run, ['qemu-img', 'convert', '-O', 'raw', join(base, versionFileNames.disk), raw]);
    await putFiles({ file: raw, startBytes: 0 }, files, {
      run: deps.run,
      folder: join(folder, 'files'),
      epochSec: Math.floor(deps.clock.nowMs() / 1000),
    });
    await runTool(deps.run, ['qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', raw, disk]);
    await publishVersion(
      deps,
      { definition: DEFINITION_SPEC, name: id.version, tags: {}, cloudInit: 'off' },
      { disk, kernel: { vmlinux: join(base, versionFileNames.vmlinux), initrd: join(base, versionFileNames.initrd) } },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const DEFINITION_SPEC = {
  gallery: GALLERY,
  name: DEFINITION,
  osState: 'generalized',
  generation: 'V2',
  architecture: 'x64',
  securityType: 'Standard',
  publisher: 'headstart',
  offer: 'node',
  sku: 'e2e',
} as const;

/** A version of three numbers, derived from the content. */
function versionOf(baseId: string, files: readonly DiskFile[]): string {
  const hash = createHash('sha256').update(baseId);
  for (const file of files) {
    hash.update(`\n${file.path} ${'to' in file ? `-> ${file.to}` : file.mode.toString(8)}\n`);
    if ('from' in file) hash.update(readFileSync(file.from));
    else if ('bytes' in file) hash.update(file.bytes);
  }
  const hex = hash.digest('hex');
  return [0, 7, 14].map((at) => Number.parseInt(hex.slice(at, at + 7), 16)).join('.');
}

/** Each takes 250 MB and is useful only to the tree it was made from. */
async function removeOthers({ version, ...definition }: VersionId, home: string): Promise<void> {
  const used = versionUsers(home);
  for (const other of versionNamesIn(home, definition)) {
    const id = { ...definition, version: other };
    if (other !== version && !used.has(versionId(id))) await removeAtomically(versionFolder(home, id));
  }
}

if (import.meta.main) console.log((await ensureNodeImage()).imageId);
