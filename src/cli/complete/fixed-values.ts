// cli/complete/fixed-values.ts: which values do options accept that take one of a few fixed words?
import type { LoginName } from '../../vms/azure/connect/credentials.ts';
import type { CompletionCandidate } from './command-syntax.ts';

type Summaries = Readonly<Record<string, string>>;

export const LOGINS: Readonly<Record<LoginName, string>> = {
  cluster: 'with the credentials in azure.json, like the cluster',
  'workload-identity': 'with the federated token of this pod',
  'managed-identity': 'with the managed identity of this VM',
  operator: 'with your login on this machine',
};

const CLOUDS: Summaries = {
  AzurePublicCloud: 'the default',
  AzureUSGovernmentCloud: 'US government',
  AzureChinaCloud: 'China',
};

const LOG_LEVELS: Summaries = {
  DEBUG: 'everything',
  INFO: 'the default',
  WARNING: 'warnings and errors',
  ERROR: 'errors',
  CRITICAL: 'only the error that ends the run',
};

const BOOT_FORMATS: Summaries = {
  json: 'the boot record',
  'otlp-json': 'an OpenTelemetry trace',
  'chrome-trace': 'for Perfetto and chrome://tracing',
  csv: 'one row per span, for spreadsheets',
};

const CHECK_FORMATS: Summaries = {
  text: 'a table',
  junit: 'JUnit XML, for CI',
  github: 'annotations of a GitHub workflow',
};

const PLOT_JSON_FORMS: Summaries = { short: 'on one line', pretty: 'indented', off: 'no JSON' };

const GOALS: readonly CompletionCandidate[] = [
  { value: 'ready', summary: 'kubelet may start' },
  { value: 'applied', summary: 'the document is applied' },
  { value: 'generation=', summary: 'this generation is applied', isPart: true },
];

const CLOUD_INIT_VERSIONS: readonly string[] = ['17.1', '19.2', '19.3', '20.3', '22.4', '24.1', '24.2', '24.4', '26.1'];

/** Each function loads the list from its module only when it is called. */
export const FIXED_VALUES = {
  logins: () => summarised(LOGINS),
  clouds: () => summarised(CLOUDS),
  'log-levels': () => summarised(LOG_LEVELS),
  'boot-formats': () => summarised(BOOT_FORMATS),
  'check-formats': () => summarised(CHECK_FORMATS),
  'plot-json-forms': () => summarised(PLOT_JSON_FORMS),
  goals: () => GOALS,
  'document-formats': () => plain(['yaml', 'json']),
  'disk-formats': () => plain(['qcow2', 'vhd', 'raw', 'qcow2,vhd']),
  architectures: () => plain(['amd64', 'arm64']),
  'api-versions': async () =>
    plain((await import('../../node/document/schema/convert.ts')).NODE_CONFIG_VERSIONS.map(withoutGroup)),
  platforms: async () => plain((await import('../../node/metadata/detect.ts')).PLATFORMS),
  suites: async () => plain((await import('../../vms/qemu/base/recipe.ts')).SUITES),
  misbehaviours: async () => summarised((await import('../../vms/qemu/metadata-service/misbehave.ts')).MISBEHAVIOURS),
  'systemd-versions': async () => {
    const { NEWEST_VERSION, OLDEST_VERSION } = await import('../../boot/compat/systemd/versions.ts');
    const count = NEWEST_VERSION - OLDEST_VERSION + 1;
    return plain(Array.from({ length: count }, (_, i) => String(NEWEST_VERSION - i)));
  },
  'cloud-init-versions': async () =>
    plain([...CLOUD_INIT_VERSIONS, (await import('../../boot/compat/cloud-init/exact/compat-version.ts')).NEWEST]),
} satisfies Record<string, () => readonly CompletionCandidate[] | Promise<readonly CompletionCandidate[]>>;

function summarised(words: Summaries): CompletionCandidate[] {
  return Object.entries(words).map(([value, summary]) => ({ value, summary }));
}

function plain(words: readonly string[]): CompletionCandidate[] {
  return words.map((value) => ({ value }));
}

/** `headstart.dev/v1` is written `v1` on the command line. */
function withoutGroup(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
}
