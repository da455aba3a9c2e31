// cli/boot/export.ts: `headstart boot export`: exports a boot as JSON, as an OpenTelemetry or Chrome trace, or as CSV.
import { setTimeout as pause } from 'node:timers/promises';
import { Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import { writeAnswerFile } from '../output/answer-file.ts';
import { printJson } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type BootOptions, readBoot, withBootOptions, withInputArguments } from './read-boot.ts';

interface ExportOptions extends BootOptions {
  format?: string;
  output?: string;
  otlp?: string | true;
  dryRun?: boolean;
}

const FORMATS: Readonly<Record<string, (record: BootRecord) => Promise<string>>> = {
  json: async (record) => `${JSON.stringify(record, null, 2)}\n`,
  'otlp-json': async (record) => `${JSON.stringify((await import('../../boot/export/otlp.ts')).otlpTrace(record))}\n`,
  'chrome-trace': async (record) =>
    `${JSON.stringify((await import('../../boot/export/chrome-trace.ts')).chromeTrace(record))}\n`,
  csv: async (record) => (await import('../../boot/export/csv.ts')).csv(record),
};

export const verb: Verb = {
  examples: [
    'boot export --format chrome-trace -i boot.tar.gz -o boot.trace.json',
    'boot export --otlp http://localhost:4318 -i boot.tar.gz',
    'boot export --format csv > boot.csv',
  ],
  configure: (command) => {
    withInputArguments(withBootOptions(command))
      .addOption(
        // For help and completion only: `run` checks the value together with the other options.
        Object.assign(new Option('--format <FORMAT>', 'the format; default: json'), {
          argChoices: Object.keys(FORMATS),
        }),
      )
      .option('-o, --output <FILE>', 'write to this file instead of standard output')
      .option(
        '--otlp [URL]',
        'send the trace to this OTLP/HTTP collector; default: OTEL_EXPORTER_OTLP_ENDPOINT. Headers: OTEL_EXPORTER_OTLP_HEADERS',
      )
      .option('--dry-run', 'with --otlp: print what would be sent, and send nothing');
  },
  async run(_args, options: ExportOptions, deps) {
    const render = FORMATS[options.format ?? (options.otlp === undefined ? 'json' : 'otlp-json')];
    if (!render || !Object.hasOwn(FORMATS, options.format ?? 'json')) {
      throw badExport(`--format ${options.format}: unknown`, `one of ${Object.keys(FORMATS).join(', ')}`);
    }
    if (options.otlp === undefined && options.dryRun) {
      throw badExport('--dry-run shows what --otlp would send', 'add --otlp URL, or leave out --dry-run');
    }
    if (options.otlp !== undefined && options.format !== undefined && options.format !== 'otlp-json') {
      throw badExport(`--otlp sends a trace, not ${options.format}`, 'leave out --format');
    }
    const isToStdout = options.output === undefined || options.output === '-';
    if (options.json && isToStdout && options.otlp === undefined && (options.format ?? 'json') !== 'json') {
      throw badExport(
        `both ${options.format} and --json would go to standard output`,
        'add -o FILE, or leave out --json',
      );
    }
    const record = await readBoot(options, deps);
    if (options.otlp !== undefined) return send(record, { ...options, otlp: options.otlp }, deps);
    const text = await render(record);
    if (isToStdout) return deps.stdout(text);
    writeAnswerFile(options.output!, text, 'boot/output-unwritable');
    const bytes = Buffer.byteLength(text);
    if (options.json) printJson(deps, 'BootExport', { format: options.format ?? 'json', file: options.output, bytes });
    else deps.stderr(`wrote ${options.output} (${bytes} bytes)\n`);
  },
};

function badExport(message: string, next: string): UserError {
  return new UserError(message, { code: 'boot/bad-export', next });
}

async function send(
  record: BootRecord,
  options: ExportOptions & { otlp: string | true },
  deps: CliDeps,
): Promise<void> {
  const [{ otlpTrace }, { otlpRequest, sendOtlp }] = await Promise.all([
    import('../../boot/export/otlp.ts'),
    import('../../boot/export/send-otlp.ts'),
  ]);
  const trace = otlpTrace(record);
  const spans = trace.resourceSpans[0]!.scopeSpans[0]!.spans;
  const request = otlpRequest(options.otlp, trace, deps.env);
  if (options.output !== undefined && options.output !== '-')
    writeAnswerFile(options.output, `${request.body}\n`, 'boot/output-unwritable');
  const { url } = request;
  const what = { url, traceId: spans[0]!.traceId, spans: spans.length, bytes: Buffer.byteLength(request.body) };
  if (options.dryRun) {
    // Names only: a header's value may be a token.
    const headers = Object.keys(request.headers);
    if (options.json) return printJson(deps, 'BootExport', { ...what, isDryRun: true, headers });
    deps.stdout(
      `would send trace ${what.traceId} (${what.spans} spans, ${what.bytes} bytes) to ${url} with headers ${headers.join(', ')}\n`,
    );
    return;
  }
  const sent = await sendOtlp(request, {
    fetch,
    sleep: (ms, signal) => pause(ms, undefined, { signal }),
    nowMs: () => deps.nowUs() / 1000,
    signal: deps.signal(),
  });
  if (sent.rejectedSpans > 0) {
    deps.stderr(
      `warning: the collector rejected ${sent.rejectedSpans} of ${what.spans} spans${sent.reason ? `: ${printable(sent.reason)}` : ''}\n`,
    );
  }
  if (options.json) return printJson(deps, 'BootExport', { ...what, ...sent });
  deps.stdout(`sent trace ${what.traceId} (${what.spans} spans) to ${url}\n`);
}
