// boot/collect/hide-secrets.ts: a boot record that may be passed on: what it quotes from logs, without the secrets in it.
import type { BootRecord } from '../model/record.ts';
import { redactText } from './redact.ts';

/** Reports, traces and exports are made to be sent to others, and a raw log was not cleaned by `boot collect`. Names and times stay. */
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
