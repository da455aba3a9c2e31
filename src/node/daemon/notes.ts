// node/daemon/notes.ts: which notes does the status show in addition to the phase? At most one for each code.
import type { DaemonState, Why } from './state.ts';

export function withNote(state: DaemonState, note: Why): DaemonState {
  const { notes } = withoutNote(state, note.code);
  return { ...state, notes: [...notes, note] };
}

export function withoutNote(state: DaemonState, code: string): DaemonState {
  return { ...state, notes: state.notes.filter((note) => note.code !== code) };
}

/** Removes the notes about fetches: all `metadata/` codes and `daemon/broke`. */
export function withoutTrouble(state: DaemonState): DaemonState {
  return {
    ...state,
    notes: state.notes.filter(({ code }) => !code.startsWith('metadata/') && code !== 'daemon/broke'),
  };
}
