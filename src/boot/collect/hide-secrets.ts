// boot/collect/hide-secrets.ts: removes secrets from the log text that a boot record quotes.
import type { BootRecord } from '../model/record.ts';
import { redactText } from './redact.ts';

/** Users share reports, traces and exports, and a raw log is not redacted, unlike a bundle. Names and times stay. */
export function hideSecrets(record: BootRecord): BootRecord {
  return {
    ...record,
    spans: record.spans.map(withoutSecret),
    milestones: record.milestones.map(withoutSecret),
    notes: record.notes.map((note) => ({ ...note, text: redactText(note.text) })),
  };
}

function withoutSecret<T extends { detail?: string }>(item: T): T {
  return item.detail === undefined ? item : { ...item, detail: redactText(item.detail) };
}
