// e2e/programs/ensure-azurite.ts: Microsoft's emulator of Azure storage on a free port, installed once next to its lock file.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/base/command.ts';
import { Secret } from '../../src/base/secret.ts';

const FOLDER = fileURLToPath(new URL('../azurite', import.meta.url));
const PROGRAM = join(FOLDER, 'node_modules/azurite/dist/src/blob/main.js');
const INSTALL_MS = 10 * 60_000;
const START_MS = 120_000;

export interface Azurite {
  /** `http://127.0.0.1:PORT/devstoreaccount1`. */
  endpoint: string;
  connectionString: Secret;
  stop(): Promise<void>;
}

/** The public account and key from the emulator's documentation. */
const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export async function startAzurite(): Promise<Azurite> {
  if (!existsSync(PROGRAM)) await install();
  const data = mkdtempSync(join(tmpdir(), 'headstart-azurite-'));
  const child = spawn(
    process.execPath,
    [PROGRAM, '--silent', '--disableTelemetry', '--skipApiVersionCheck', '--blobPort', '0', '--location', data],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const endpoint = `${await addressOf(child, ended)}/${ACCOUNT}`;
    const connectionString = new Secret(
      `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${endpoint};`,
    );
    return { endpoint, connectionString, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function install(): Promise<void> {
  console.error('installing the storage emulator (once)');
  const ran = await runCommand(['npm', 'ci', '--prefix', FOLDER, '--no-audit', '--no-fund'], { timeoutMs: INSTALL_MS });
  if (ran.code !== 0) throw new Error(`npm could not install the storage emulator: ${ran.stderr}`);
}

/** It prints its address when it listens. */
function addressOf(child: ReturnType<typeof spawn>, ended: Promise<void>): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const give = (error: Error | undefined, address = '') => {
      clearTimeout(deadline);
      if (error) reject(error);
      else resolve(address);
    };
    const deadline = setTimeout(() => give(new Error(`the storage emulator does not listen: ${printed}`)), START_MS);
    const read = (chunk: Buffer) => {
      printed += chunk;
      const address = /listens on (http:\/\/\S+)/.exec(printed)?.[1];
      if (address !== undefined) give(undefined, address);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    ended.then(() => give(new Error(`the storage emulator ended: ${printed}`)));
  });
}
