// prototype/protected-settings.ts: is the command of an extension known, so that a rollback can restore it? Pure.
import type { ProtectedSettings, SavedModel } from '../vms/publisher.ts';
import type { ExtensionSettings } from './donor/inspect/inspection.ts';
import { bootstrapExtensions } from './run/extensions.ts';
import { objectOf, readSavedExtension, type SavedExtension } from './saved-extension.ts';

/** The extensions of a saved model that a switch removes. */
export function leavingExtensions(model: Pick<SavedModel, 'extensions'>): SavedExtension[] {
  const all = model.extensions.map(readSavedExtension);
  const leaving = new Set(
    bootstrapExtensions(all.map((one) => ({ ...one, after: [...one.after] }))).map(({ name }) => name),
  );
  return all.filter(({ name }) => leaving.has(name));
}

/**
 * The names of those whose command can only be in protected settings, which are unknown: restored without them, they would fail on every
 * new instance. Known empty settings count as known.
 */
export function withoutCommand(extensions: readonly SavedExtension[], known: ProtectedSettings): string[] {
  return extensions
    .filter((extension) => !hasPublicCommand(extension) && known[extension.name] === undefined)
    .map(({ name }) => name);
}

/** Script extensions need one of these; files to download alone (`fileUris`) run nothing. */
const COMMANDS = new Set(['commandtoexecute', 'script', 'source', 'fileuri']);

function hasPublicCommand({ settings }: SavedExtension): boolean {
  return Object.entries(settings).some(([key, value]) => COMMANDS.has(key.toLowerCase()) && !isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** What the guest agent of an instance kept for these extensions. */
export function settingsFound(
  extensions: readonly SavedExtension[],
  found: readonly ExtensionSettings[],
): ProtectedSettings {
  const known = extensions.flatMap((extension) => {
    const settings = settingsOf(extension, extensions, found);
    return settings ? [[extension.name, settings] as const] : [];
  });
  return Object.fromEntries(known);
}

function settingsOf(
  extension: SavedExtension,
  all: readonly SavedExtension[],
  found: readonly ExtensionSettings[],
): Record<string, unknown> | undefined {
  const isAlone = all.filter((one) => handlerOf(one) === handlerOf(extension)).length === 1;
  const matching = found
    .filter(({ handler }) => handler.toLowerCase() === handlerOf(extension))
    .filter(({ name }) => (name === undefined ? isAlone : name === extension.name))
    .toSorted((a, b) => compareVersions(b.version, a.version));
  const newest = matching[0]?.protected;
  if (newest === undefined || newest === 'unreadable') return undefined;
  return newest === 'none' ? {} : parse(newest.json.reveal());
}

function handlerOf({ publisher, type }: SavedExtension): string {
  return `${publisher}.${type}`.toLowerCase();
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  for (let i = 0; i < Math.max(left!.length, right!.length); i++) {
    const difference = (left![i] ?? 0) - (right![i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const settings = objectOf(value);
    return settings === value ? settings : undefined;
  } catch {
    return undefined;
  }
}
