// cli/sim-imds.ts: `headstart sim imds`: simulates the metadata service and wire server of one instance, to test how a node starts.
import { readFileSync } from 'node:fs';
import { UserError } from '../base/errors.ts';
import { type InstanceMetadata, parseInstanceFile } from '../vms/qemu/metadata-service/instance-file.ts';
import { isKind, MISBEHAVIOURS, type Misbehaviour } from '../vms/qemu/metadata-service/misbehave.ts';
import { type Imds, startImds } from '../vms/qemu/metadata-service/start.ts';
import { printJson } from './output/json.ts';
import type { CliDeps, Verb } from './verb.ts';

interface Options {
  instance: string;
  port: string;
  misbehave?: string[];
  json?: boolean;
}

export const verb: Verb = {
  examples: [
    'sim imds --instance examples/instance.json',
    'sim imds --instance examples/instance.json --port 8169 --misbehave throttled:2 --misbehave late-start',
  ],
  notes: ['Kinds:', ...Object.entries(MISBEHAVIOURS).map(([kind, meaning]) => `  ${kind}: ${meaning}`)].join('\n'),
  configure(command) {
    command
      .requiredOption('--instance <FILE>', 'the metadata of the instance; read again for every request')
      .option('--port <N>', 'the port to listen on, on the loopback address; 0: any free port', '0')
      .option(
        '--misbehave <KIND[:N]>',
        'fail the first N metadata requests, or all of them, in this way; repeatable, applied in the given order',
        (word: string, before: string[] = []) => [...before, word],
      )
      .option('--json', 'print the address as one JSON document');
  },
  async run(_args, options: Options, deps) {
    const port = parsePort(options.port);
    const misbehave = (options.misbehave ?? []).map(parseMisbehaviour);
    const instance = () => readInstance(options.instance);
    const { name } = instance(); // reports an invalid file now, not at the first request
    const signal = deps.signal();
    const imds = await start({ instance, port, misbehave }, deps);
    try {
      announce(imds, { name, misbehave, isJson: options.json === true }, deps);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    } finally {
      await imds.stop();
    }
    deps.stderr(`stopped after ${imds.requests.length} requests\n`);
  },
};

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UserError(`--port is a whole number from 0 to 65535, not '${text}'`, { code: 'sim/bad-number' });
}

function parseMisbehaviour(word: string): Misbehaviour {
  const [, kind = '', times] = /^([a-z-]+)(?::([1-9]\d{0,5}))?$/.exec(word) ?? [];
  if (isKind(kind)) return { kind, ...(times !== undefined && { times: Number(times) }) };
  throw new UserError(`unknown misbehaviour '${word}'`, {
    code: 'sim/bad-misbehaviour',
    next: `use one of ${Object.keys(MISBEHAVIOURS).join(', ')}, with :N for the first N requests`,
  });
}

function readInstance(path: string): InstanceMetadata {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UserError(`cannot read the instance ${path}: ${(cause as Error).message}`, {
      code: 'sim/instance-unreadable',
      next: 'name one with --instance; if the file contains only {}, the error lists the fields that it needs',
      cause,
    });
  }
  return parseInstanceFile(text, path);
}

async function start(
  options: { instance: () => InstanceMetadata; port: number; misbehave: Misbehaviour[] },
  deps: CliDeps,
): Promise<Imds> {
  try {
    return await startImds({
      ...options,
      onReport({ state, subStatus, description }) {
        deps.stderr(`reported ${[state, subStatus, description].filter(Boolean).join(': ')}\n`);
      },
    });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause;
    throw new UserError(`port ${options.port} is in use`, {
      code: 'sim/port-taken',
      next: 'leave out --port to use any free port',
      cause,
    });
  }
}

function announce(
  { url }: Imds,
  { name, misbehave, isJson }: { name: string; misbehave: Misbehaviour[]; isJson: boolean },
  deps: CliDeps,
): void {
  const metadata = `${url}/metadata/instance?api-version=2021-08-01`;
  if (isJson) {
    printJson(deps, 'ImdsSimulator', { endpoint: url, instance: name, misbehave });
    return;
  }
  const story = misbehave.map(({ kind, times }) => `${kind}${times === undefined ? '' : ` for ${times} requests`}`);
  deps.stderr(`metadata service and wire server of ${name}${story.length > 0 ? `: ${story.join(', then ')}` : ''}\n`);
  deps.stdout(`curl -H Metadata:true '${metadata}'\n`);
  deps.stderr('paste this line into another terminal; Ctrl-C stops the simulator\n');
}
