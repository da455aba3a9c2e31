// cli/pool/arguments.ts: parses and validates the arguments of the pool verbs before anything is changed.
import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option } from 'commander';
import { parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { whyUnreadable } from '../../base/why-unreadable.ts';
import type { Service } from '../../vms/qemu/local-provider.ts';
import { isServiceAddress } from '../../vms/qemu/machine/addresses.ts';

/** The name becomes part of host names (`NAME-000001`), and a label of a host name has at most 63 characters. */
export function poolName(name: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/.test(name)) return name;
  throw new UserError(`${JSON.stringify(name)} is not a valid pool name`, {
    code: 'pool/bad-name',
    next: 'use at most 50 lower-case letters, digits and dashes, with no dash at either end',
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

/** The same option for every verb that waits. */
export function timeoutOption(what: string, span: string): Option {
  return new Option('--timeout <SPAN>', what).argParser(timeSpan).default(timeSpan(span), span);
}

const ADDRESS = /^(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/;

/** `ADDRESS:PORT=HOST:PORT`: the address that the guest connects to, and its target on this machine's network. For a repeatable option. */
export function addService(text: string, before: readonly Service[] = []): Service[] {
  const [, address, port, host, toPort] = /^([^:=]+):(\d{1,5})=([^:=]+):(\d{1,5})$/.exec(text) ?? [];
  if (!address || !port || !host || !toPort || !ADDRESS.test(address) || !HOST.test(host)) {
    throw new InvalidArgumentError(
      `"${text}" is not of the form ADDRESS:PORT=HOST:PORT, such as 168.0.0.100:80=127.0.0.1:8080.`,
    );
  }
  if (!isServiceAddress(address)) {
    throw new InvalidArgumentError(
      `${address} is not in 168.0.0.0/16, or is reserved by the network (use 168.0.0.100).`,
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

/** Also accepts template instances and escaped names. */
export function parseUnitName(text: string): string {
  if (/^[A-Za-z0-9:_.\\@][A-Za-z0-9:_.\\@-]{0,200}\.[a-z]+$/.test(text)) return text;
  throw new InvalidArgumentError(`"${text}" is not a unit name such as kubelet.service.`);
}

/** 64 KiB as base64, the largest custom data that Azure accepts. */
const MAX_BYTES = 48 << 10;

/** Returns the file as base64. */
export function readData(path: string, what: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new UserError(`cannot read ${path}: ${whyUnreadable(cause)}`, {
      code: 'pool/unreadable',
      next: `name an existing file with ${what}`,
      cause,
    });
  }
  if (bytes.length <= MAX_BYTES) return bytes.toString('base64');
  throw new UserError(`${path} has ${bytes.length} bytes; ${what} takes at most ${MAX_BYTES}`, {
    code: 'pool/too-large',
    next: 'let the instance fetch the rest from a service (--service)',
  });
}
