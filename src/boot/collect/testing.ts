// boot/collect/testing.ts: a fake machine in a folder: files below a root, and programs as scripts that print recorded output.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface FakeMachine {
  root: string;
  /** The environment of its programs. */
  env: { PATH: string; HEADSTART_ROOT: string; TMPDIR: string };
  writeFile(path: string, content: string | Uint8Array): void;
  /** `script` is the body of a POSIX shell script. */
  addProgram(name: string, script: string): void;
  remove(): void;
}

export function createFakeMachine(): FakeMachine {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-machine-'));
  const [root, bin, temporary] = [join(folder, 'root'), join(folder, 'bin'), join(folder, 'tmp')];
  for (const path of [root, bin, temporary]) mkdirSync(path);
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  return {
    root,
    env: { PATH: `${bin}:/usr/bin:/bin`, HEADSTART_ROOT: root, TMPDIR: temporary },
    writeFile: (path, content) => write(join(root, path), content),
    addProgram: (name, script) => {
      write(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A minimal node that booted with systemd and cloud-init, with a secret in every place that may contain one. */
export function addSmallNode(machine: FakeMachine, { secret }: { secret: string }): void {
  machine.addProgram(
    'systemctl',
    `case "$*" in
  *timestamp=us+utc*) echo 'unrecognized option' >&2; exit 1 ;;
  "show *"*) printf 'Id=a.service\\nDescription=uses token=${secret}\\nInactiveExitTimestampMonotonic=2000000\\nActiveEnterTimestampMonotonic=3000000\\nAfter=basic.target\\n' ;;
  *) printf 'Version=252\\nKernelTimestampMonotonic=0\\nUserspaceTimestampMonotonic=1000000\\nSecurityStartTimestampMonotonic=1100000\\nFinishTimestampMonotonic=9000000\\n' ;;
esac`,
  );
  machine.addProgram(
    'journalctl',
    `printf '%s\\n' '{"__REALTIME_TIMESTAMP":"1794776901907673","__MONOTONIC_TIMESTAMP":"1","_BOOT_ID":"46bc72e7a99d4d429784493dd92e074f","MESSAGE":"password: ${secret}","ARGS":"'"$*"'"}'`,
  );
  machine.addProgram('dmesg', 'echo "dmesg: read kernel buffer failed: Operation not permitted" >&2; exit 1');
  machine.addProgram(
    'uname',
    'case $1 in -n) echo Node-A ;; *) echo "Linux Node-A 6.1.0-54-cloud-amd64 x86_64 GNU/Linux" ;; esac',
  );
  machine.addProgram('kubectl', `printf '{"kind":"Node","args":"%s"}\\n' "$*"`);
  machine.writeFile('proc/sys/kernel/random/boot_id', '46bc72e7-a99d-4d42-9784-493dd92e074f\n');
  machine.writeFile('etc/os-release', 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n');
  machine.writeFile('var/log/cloud-init.log', `2026-11-15 21:08:50,104 - util.py[DEBUG]: token=${secret}\n`);
  machine.writeFile('run/cloud-init/instance-data.json', `{"ds": {"user_data": "${secret}"}}\n`);
  machine.writeFile('run/cloud-init/instance-data-sensitive.json', `{"x": "${secret}"}\n`);
  machine.writeFile('var/lib/cloud/instance/user-data.txt', `#cloud-config\npassword: ${secret}\n`);
  machine.writeFile(
    'var/log/azure/custom script/events/1794776902000.json',
    `{"TaskName":"AKS.CSE","Message":"sig=${secret}"}`,
  );
}
