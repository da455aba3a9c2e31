// node/daemon/notes.ts: what is worth knowing beside the phase? One note for each code.
import type { DaemonState, Why } from './state.ts';

export function withNote(state: DaemonState, note: Why): DaemonState {
  const { notes } = withoutNote(state, note.code);
  return { ...state, notes: [...notes, note] };
}

export function withoutNote(state: DaemonState, code: string): DaemonState {
  return { ...state, notes: state.notes.filter((note) => note.code !== code) };
}

/** All that is wrong with the metadata service begins with its name. */
export function withoutTrouble(state: DaemonState): DaemonState {
  return {
    ...state,
    notes: state.notes.filter(({ code }) => !code.startsWith('metadata/') && code !== 'daemon/broke'),
  };
}
