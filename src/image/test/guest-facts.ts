// image/test/guest-facts.ts: what is asked inside a booted image, and what was the answer? A shell script, and the reading of what it prints.

export interface GuestFacts {
  release: string;
  dpkgStatus: string;
  /** sha256 by path, of the files that were asked for; what is not there is not in it. */
  files: ReadonlyMap<string, string>;
  /** By unit: its properties. */
  units: ReadonlyMap<string, Readonly<Record<string, string>>>;
  failedUnits: readonly string[];
  nodeStatus: string;
  machineId: string;
  /** What of cloud-init is there. */
  cloudInit: readonly string[];
  /** By unit: `masked`, `enabled`, `disabled` … or nothing where there is none. */
  unitFiles: ReadonlyMap<string, string>;
  rootBytes: number;
  diskBytes: number;
  isUefi: boolean;
  kernelRelease: string;
}

export interface Questions {
  /** Absolute paths. */
  files: readonly string[];
  units: readonly string[];
  unitFiles: readonly string[];
}

/** For `sh -s`. Each answer is one line, `name base64`, so that nothing in one can be taken for another. */
export function factsScript({ files, units, unitFiles }: Questions): string {
  const words = (list: readonly string[]) => list.map(quoted).join(' ');
  const asked: Readonly<Record<string, string>> = {
    release: 'cat /usr/lib/headstart/release.json',
    dpkgStatus: 'cat /var/lib/dpkg/status',
    files: `for file in ${words(files)}; do sha256sum "$file"; done`,
    units: `systemctl show --property=Id,ActiveState,SubState,Result,NRestarts,ConditionResult -- ${words(units)}`,
    failedUnits: 'systemctl list-units --failed --plain --no-legend --no-pager',
    nodeStatus: 'cat /run/headstart/status.json',
    machineId: 'cat /etc/machine-id',
    cloudInit:
      'for file in /usr/bin/cloud-init /etc/cloud /var/lib/cloud /run/cloud-init; do ! [ -e "$file" ] || echo "$file"; done',
    unitFiles: `for unit in ${words(unitFiles)}; do echo "$unit $(systemctl is-enabled -- "$unit" 2>/dev/null)"; done`,
    root: 'stat --file-system --format="%b %S" /; cat /sys/class/block/vda/size; uname -r; ls -d /sys/firmware/efi',
  };
  return Object.entries(asked)
    .map(([name, command]) => `printf '%s ' ${name}; { ${command}; } 2>/dev/null | base64 -w0; echo\n`)
    .join('');
}

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
    units: new Map(
      answer('units')
        .split('\n\n')
        .map(readUnit)
        .map((unit) => [unit.Id ?? '', unit]),
    ),
    failedUnits: lines('failedUnits').map((line) => line.split(' ', 1)[0]!),
    nodeStatus: answer('nodeStatus'),
    machineId: answer('machineId').trim(),
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

/** A leading backslash says that the name has something escaped in it. */
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
