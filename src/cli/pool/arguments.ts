// cli/pool/arguments.ts: what people write on the command line, read into what the factory takes. All problems are found before anything is touched.
import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import type { Service } from '../../vms/qemu/local-factory.ts';
import { isServiceAddress } from '../../vms/qemu/machine/addresses.ts';

/** It becomes part of host names (`NAME-000001`), of which each label has room for 63 characters. */
export function poolName(name: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/.test(name)) return name;
  throw new UserError(`${JSON.stringify(name)} cannot be the name of a pool`, {
    code: 'pool/bad-name',
    next: 'take lower-case letters, digits and dashes, 50 at most, no dash at either end',
  });
}

export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`"${text}" is not a whole number from ${least} to ${most}.`);
  };
}

/** Milliseconds. */
export function timeSpan(text: string): number {
  const us = parseSpan(text);
  if (us !== undefined && us >= 1e6 && us <= 7 * 86_400e6) return us / 1000;
  throw new InvalidArgumentError(`"${text}" is not a time such as 90s or 10min.`);
}

/** The same on every verb that waits. */
export function timeoutOption(what: string, span: string): Option {
  return new Option('--timeout <SPAN>', what).argParser(timeSpan).default(timeSpan(span), span);
}

const ADDRESS = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

/** `ADDRESS:PORT=HOST:PORT`: what the guest connects to, and where on this machine's network that leads. For an option that may be repeated. */
export function addService(text: string, before: readonly Service[] = []): Service[] {
  const [, address, port, host, toPort] = /^([^:=]+):(\d{1,5})=([^:=]+):(\d{1,5})$/.exec(text) ?? [];
  if (!address || !port || !host || !toPort || !ADDRESS.test(address) || !HOST.test(host)) {
    throw new InvalidArgumentError(
      `"${text}" is not of the form ADDRESS:PORT=HOST:PORT, 168.0.0.100:80=127.0.0.1:8080.`,
    );
  }
  if (!isServiceAddress(address)) {
    throw new InvalidArgumentError(
      `${address} is not in 168.0.0.0/16, or the network itself has it (take 168.0.0.100).`,
    );
  }
  for (const number of [port, toPort]) {
    if (Number(number) < 1 || Number(number) > 65535) throw new InvalidArgumentError(`${number} is not a port.`);
  }
  if (before.some((known) => known.address === address && known.port === Number(port))) {
    throw new InvalidArgumentError(`${address}:${port} is given twice.`);
  }
  return [...before, { address, port: Number(port), to: { host, port: Number(toPort) } }];
}

/** A template instance or an escape is part of a unit's name, too. */
export function parseUnitName(text: string): string {
  if (/^[A-Za-z0-9:_.\\@][A-Za-z0-9:_.\\@-]{0,200}\.[a-z]+$/.test(text)) return text;
  throw new InvalidArgumentError(`"${text}" is not the name of a unit, such as kubelet.service.`);
}

/** What cloud and metadata service take: 64 KiB as base64, the largest custom data that Azure allows. */
const MAX_BYTES = 48 << 10;

/** base64. */
export function readData(path: string, what: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new UserError(`cannot read ${path}: ${whyUnreadable(cause)}`, {
      code: 'pool/unreadable',
      next: `give an existing file with ${what}`,
      cause,
    });
  }
  if (bytes.length <= MAX_BYTES) return bytes.toString('base64');
  throw new UserError(`${path} has ${bytes.length} bytes, and ${what} has room for ${MAX_BYTES}`, {
    code: 'pool/too-large',
    next: 'let it fetch the rest from a service (--service)',
  });
}
