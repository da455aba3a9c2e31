// bench/what-if-edits.ts: which edits are predicted and then made in a guest, and what in the guest makes them worth seconds?
import { READY_UNIT } from '../demo/bootstrap.ts';

export interface GuestEdit {
  name: string;
  /** Of `boot what-if`. */
  args: readonly string[];
  /** Shell scripts that make the edit in the guest, and undo it. */
  make: string;
  undo: string;
}

const LOAD = 'load-data.service';
const BUSY = 'busy-check.service';
const WAIT = 'wait-for-peer.service';
const ORDERED = `/etc/systemd/system/${READY_UNIT}.d/ordered.conf`;
const BOOTCMD = '/etc/cloud/cloud.cfg.d/99-slow.cfg';

/** Boots of one emulated machine differ by some seconds: each edit must save more than that. */
const SECONDS = 20;
const SHORT_SECONDS = 2;

const after = (units: readonly string[]) => `printf '[Unit]\\nAfter=${units.join(' ')}\\n' >${ORDERED}`;
const loadsFor = (seconds: number) => `echo ${seconds} >/etc/load-data.seconds`;

export const GUEST_EDITS: readonly GuestEdit[] = [
  {
    name: 'an ordering dropped',
    args: ['--drop-after', `${READY_UNIT} ${WAIT}`],
    make: after([LOAD, BUSY]),
    undo: after([LOAD, BUSY, WAIT]),
  },
  {
    name: 'a busy unit masked',
    args: ['--mask', BUSY],
    make: `systemctl disable ${BUSY}`,
    undo: `systemctl enable ${BUSY}`,
  },
  {
    name: 'a unit made faster',
    args: ['--set', `${LOAD}=${SHORT_SECONDS}s`],
    make: loadsFor(SHORT_SECONDS),
    undo: loadsFor(SECONDS),
  },
  {
    name: 'a cloud-init module left out',
    args: ['--without', 'config-bootcmd'],
    make: `rm ${BOOTCMD}`,
    undo: writeBootcmd(),
  },
  {
    name: 'cloud-init off',
    args: ['--without', 'cloud-init'],
    make: 'touch /etc/cloud/cloud-init.disabled',
    undo: 'rm /etc/cloud/cloud-init.disabled',
  },
];

/** Three units one after another that the ready unit waits for, and a command that cloud-init runs at every boot. */
export function prepareGuest(): string {
  return [
    'set -eu',
    `mkdir -p ${ORDERED.slice(0, ORDERED.lastIndexOf('/'))}`,
    // Counts as far as this guest gets in the time, once, so that every boot has the same work.
    `end=$(($(date +%s) + ${SECONDS})); n=0; while [ $(date +%s) -lt $end ]; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; n=$((n+1)); done`,
    'echo $n >/etc/busy-check.rounds',
    writeUnit(LOAD, [], 'sleep $(cat /etc/load-data.seconds)'),
    writeUnit(
      BUSY,
      [LOAD],
      'n=$(cat /etc/busy-check.rounds); while [ $n -gt 0 ]; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; n=$((n-1)); done',
    ),
    writeUnit(WAIT, [LOAD, BUSY], `sleep ${SECONDS}`),
    loadsFor(SECONDS),
    writeBootcmd(),
    after([LOAD, BUSY, WAIT]),
    'sync',
  ].join('\n');
}

function writeBootcmd(): string {
  return `printf 'bootcmd:\\n- [sleep, "${SECONDS}"]\\n' >${BOOTCMD}`;
}

/** In a unit file, `$` is `$$`. */
function writeUnit(name: string, afterUnits: readonly string[], script: string): string {
  const text = `[Unit]
Description=Part of the time until this node is ready
After=${afterUnits.join(' ')}

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c '${script.replaceAll('$', '$$$$')}'

[Install]
WantedBy=multi-user.target
`;
  return `cat >/etc/systemd/system/${name} <<'END'\n${text}END\nsystemctl enable ${name}`;
}
