// image/test/guest-facts.ts: which facts does a test read from a booted image? A shell script, and a parser for its output.

export interface GuestFacts {
  release: string;
  dpkgStatus: string;
  /** sha256 by path, of the requested files; missing files have no entry. */
  files: ReadonlyMap<string, string>;
  /** Mode and owner by path, `755 0:0`; symbolic links have no entry. */
  modes: ReadonlyMap<string, string>;
  /** Link target by path. */
  links: ReadonlyMap<string, string>;
  /** All names of the container images that are present and unpacked. */
  readyImages: readonly string[];
  /** Blobs whose content does not match their digest. */
  badBlobs: readonly string[];
  /** The status line of kubelet's /healthz. */
  kubeletHealth: string;
  resolvConf: string;
  /** Properties by unit. */
  units: ReadonlyMap<string, Readonly<Record<string, string>>>;
  failedUnits: readonly string[];
  nodeStatus: string;
  machineId: string;
  /** The file is newer than the image. */
  isMachineIdNew: boolean;
  /** Paths of cloud-init that exist. */
  cloudInit: readonly string[];
  /** State by unit: `masked`, `enabled`, `disabled` …, or empty if the unit does not exist. */
  unitFiles: ReadonlyMap<string, string>;
  rootBytes: number;
  diskBytes: number;
  isUefi: boolean;
  kernelRelease: string;
}

export interface GuestQuestions {
  /** Absolute paths. */
  files: readonly string[];
  links: readonly string[];
  units: readonly string[];
  unitFiles: readonly string[];
  /** Maximum number of health requests to kubelet, one second apart. */
  healthTries: number;
}

/** For `sh -s`. Each answer is one line, `name base64`, so that no answer can be mistaken for another. */
export function factsScript({ files, links, units, unitFiles, healthTries }: GuestQuestions): string {
  const words = (list: readonly string[]) => list.map(quoted).join(' ');
  const commands: Readonly<Record<string, string>> = {
    release: 'cat /usr/lib/headstart/release.json',
    dpkgStatus: 'cat /var/lib/dpkg/status',
    files: `for file in ${words(files)}; do sha256sum "$file"; done`,
    modes: `for file in ${words(files)}; do [ -L "$file" ] || stat --format='%a %u:%g %n' -- "$file"; done`,
    links: `for file in ${words(links)}; do ! [ -L "$file" ] || echo "$(readlink -- "$file") $file"; done`,
    readyImages: 'ctr --namespace k8s.io images check --quiet',
    badBlobs: `cd ${BLOBS} && for blob in *; do [ "$(sha256sum "$blob")" = "$blob  $blob" ] || echo "$blob"; done`,
    kubeletHealth: kubeletHealthCommand(healthTries),
    resolvConf: 'cat /etc/resolv.conf',
    units: `systemctl show --property=Id,ActiveState,SubState,Result,NRestarts,ConditionResult -- ${words(units)}`,
    failedUnits: 'systemctl list-units --failed --plain --no-legend --no-pager',
    nodeStatus: 'cat /run/headstart/status.json',
    machineId: 'cat /etc/machine-id',
    isMachineIdNew: '[ /etc/machine-id -nt /usr/lib/headstart/release.json ] && echo yes',
    cloudInit:
      'for file in /usr/bin/cloud-init /etc/cloud /var/lib/cloud /run/cloud-init; do ! [ -e "$file" ] || echo "$file"; done',
    unitFiles: `for unit in ${words(unitFiles)}; do echo "$unit $(systemctl is-enabled -- "$unit" 2>/dev/null)"; done`,
    root: 'stat --file-system --format="%b %S" /; cat /sys/class/block/vda/size; uname -r; ls -d /sys/firmware/efi',
  };
  const script = Object.entries(commands).map(
    ([name, command]) => `printf '%s ' ${name}; { ${command}; } 2>/dev/null | base64 -w0; echo\n`,
  );
  return [`PATH=${PROGRAMS}\n`, ...script].join('');
}

const PROGRAMS = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const BLOBS = '/var/lib/containerd/io.containerd.content.v1.content/blobs/sha256';

/** Uses bash for TCP, because not every image has curl. kubelet opens its port some time after its process starts. */
const kubeletHealthCommand = (tries: number) =>
  [
    `for try in $(seq ${tries}); do [ "$try" = 1 ] || sleep 1;`,
    'said=$(bash -c \'exec 3<>/dev/tcp/127.0.0.1/10248 && printf "GET /healthz HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3\');',
    'case $said in *"200 OK"*) break;; esac; done; echo "$said" | head -n 1',
  ].join(' ');

export function readFacts(text: string): GuestFacts {
  const answers = new Map(
    text.split('\n').map((line) => {
      const [name = '', encoded = ''] = line.split(' ');
      return [name, Buffer.from(encoded, 'base64').toString()];
    }),
  );
  const answer = (name: string) => answers.get(name) ?? '';
  const lines = (name: string) => answer(name).split('\n').filter(Boolean);
  const [space = '', sectors = '', kernelRelease = '', efi] = lines('root');
  const [blocks = 0, blockBytes = 0] = space.split(' ').map(Number);
  return {
    release: answer('release'),
    dpkgStatus: answer('dpkgStatus'),
    files: new Map(lines('files').flatMap(readSum)),
    modes: new Map(lines('modes').flatMap((line) => pathLast(line, 2))),
    links: new Map(lines('links').flatMap((line) => pathLast(line, 1))),
    readyImages: lines('readyImages'),
    badBlobs: lines('badBlobs'),
    kubeletHealth: answer('kubeletHealth').trim(),
    resolvConf: answer('resolvConf'),
    units: new Map(
      answer('units')
        .split('\n\n')
        .map(readUnit)
        .map((unit) => [unit.Id ?? '', unit]),
    ),
    failedUnits: lines('failedUnits').map((line) => line.split(' ', 1)[0]!),
    nodeStatus: answer('nodeStatus'),
    machineId: answer('machineId').trim(),
    isMachineIdNew: answer('isMachineIdNew').trim() === 'yes',
    cloudInit: lines('cloudInit'),
    unitFiles: new Map(
      lines('unitFiles').map((line) => {
        const [unit = '', state = ''] = line.split(' ');
        return [unit, state];
      }),
    ),
    rootBytes: blocks * blockBytes,
    diskBytes: 512 * Number(sectors),
    isUefi: efi !== undefined,
    kernelRelease,
  };
}

/** Some words, then a path that may contain spaces. */
function pathLast(line: string, words: number): [path: string, rest: string][] {
  const parts = line.split(' ');
  const path = parts.slice(words).join(' ');
  return path === '' ? [] : [[path, parts.slice(0, words).join(' ')]];
}

/** Skips names that sha256sum escapes, which it marks with a leading backslash. */
function readSum(line: string): [path: string, sha256: string][] {
  const [, sha256, path] = /^([0-9a-f]{64}) [ *](.*)$/.exec(line) ?? [];
  return sha256 === undefined || path === undefined ? [] : [[path, sha256]];
}

function readUnit(block: string): Record<string, string> {
  return Object.fromEntries(
    block.split('\n').flatMap((line) => {
      const at = line.indexOf('=');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
