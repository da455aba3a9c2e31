// boot/render/report/bar-note.ts: where does the text about a bar fit: after it, before it or on it, and how long may it be?

export interface NotePlace {
  text: string;
  side: 'after' | 'before' | 'inside';
}

/** Of a character at 11 pixels in a wide font, and the distances to the bar and the edge. */
const CHARACTER_PX = 6.6;
const AROUND_PX = 14;

/** `texts`: longest first. `fromShare` and `toShare` are the visible ends of the bar in a track of `trackPx`. */
export function placeNote(
  texts: readonly string[],
  { fromShare, toShare, trackPx }: { fromShare: number; toShare: number; trackPx: number },
): NotePlace {
  const rooms = [
    { side: 'after', px: (1 - toShare) * trackPx },
    { side: 'before', px: fromShare * trackPx },
    { side: 'inside', px: (toShare - fromShare) * trackPx },
  ] as const;
  for (const text of texts) {
    const room = rooms.find(({ px }) => px >= text.length * CHARACTER_PX + AROUND_PX);
    if (room) return { text, side: room.side };
  }
  return { text: '', side: 'after' };
}
