// cli/prototype/protected-settings.ts: reads the file that --protected-settings names: a JSON object by the name of the extension.
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import type { ProtectedSettings } from '../../vms/publisher.ts';

export const PROTECTED_SETTINGS_HELP =
  'a JSON file with the protected settings of script extensions by name, if the donor has no readable copy';

/** Errors never contain the text of the file. */
export function readProtectedSettings(path: string): ProtectedSettings {
  const value = parse(path);
  if (!isObject(value)) throw unusable(path, 'expected an object by the name of the extension');
  for (const [name, settings] of Object.entries(value)) {
    if (!isObject(settings)) throw unusable(path, `${name}: expected an object`);
  }
  return value as ProtectedSettings;
}

function parse(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw unusable(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw unusable(path, 'is not JSON'); // the message of the parser would quote the text
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unusable(path: string, why: string): UserError {
  return new UserError(`${path}: ${why}`, {
    code: 'prototype/protected-settings',
    next: 'name a file like {"vmssCSE": {"commandToExecute": "…"}} with --protected-settings',
  });
}
